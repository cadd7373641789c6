// What one answer may cost. Rules can be written whose values grow without end (`concat(a, a)` on
// forty lines), and calls for which they do (2**60 pieces); they end with a refusal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/shapes/value.h"

namespace opweave::codegen {

class Effort {
 public:
  // One answer. An inner scope belongs to the outer one.
  class Scope {
   public:
    Scope() {
      if (depth_++ == 0) left_ = kMost;
    }
    ~Scope() { --depth_; }
    Scope(const Scope&) = delete;
  };

  // Steps, elements or letters; NoShape where they are too many.
  static void spend(size_t units);
  // Of a list with as many elements as somebody asks for.
  static void spend_elements(int64_t count);
  // What it costs to hold a value.
  static void spend(const Value& value);

 private:
  static constexpr size_t kMost = 1'000'000;
  static inline size_t left_ = kMost;
  static inline int depth_ = 0;
};

}  // namespace opweave::codegen
