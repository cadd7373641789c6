// Which optional arguments are known to be given where an expression is being read.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

class ElementGuards {
 public:
  bool knows(uint16_t argument) const;

  // While it lives, the condition is known to have that value.
  class Scope {
   public:
    Scope(ElementGuards& guards, const ElementNode& condition, bool value)
        : guards_(guards), before_(guards.given_.size()) {
      guards.learn(condition, value);
    }
    ~Scope() { guards_.given_.resize(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ElementGuards& guards_;
    size_t before_;
  };

 private:
  void learn(const ElementNode& condition, bool value);

  std::vector<uint16_t> given_;
};

}  // namespace opweave::codegen
