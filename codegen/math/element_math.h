// Pointwise trees as mathematics.
#pragma once

#include <functional>

#include "codegen/math/math.h"
#include "codegen/math/terms.h"

namespace opweave::codegen {

class ElementMath {
 public:
  // What an argument is called.
  using Names = std::function<Math(uint16_t)>;

  ElementMath(Names names, Tidy tidy) : names_(std::move(names)), tidy_(tidy) {}

  Math write(const ElementNode& node) const;

 private:
  Math sum(const ElementNode& node) const;
  Math product(const Product& product) const;
  Math factor(const Factor& factor) const;
  Math function(const ElementNode& node) const;
  Math relation(const ElementNode& node, std::string_view symbol) const;
  Math cases(const ElementNode& node) const;
  Math negation(const ElementNode& condition) const;

  Names names_;
  Tidy tidy_;
};

}  // namespace opweave::codegen
