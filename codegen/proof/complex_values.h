// Values of pointwise trees for complex numbers.
#pragma once

#include <complex>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

using ComplexNumber = std::complex<long double>;

// What the tree reads as numbers; strings and what is given are those of `other`.
struct ComplexPoint {
  std::vector<ComplexNumber> arguments;
  ComplexNumber grad = 1, result = 0;
  ElementPoint other;
};

// Not a number where an operation has no value for complex numbers.
ComplexNumber complex_value(const ElementNode& root, const ComplexPoint& point);

}  // namespace opweave::codegen
