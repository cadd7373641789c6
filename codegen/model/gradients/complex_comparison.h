// Two gradients of one argument in complex numbers, at drawn points.
#pragma once

#include <optional>

#include "codegen/model/samples/sample_points.h"
#include "codegen/proof/complex_values.h"

namespace opweave::codegen {

struct ComplexCounterexample {
  ComplexPoint point;
  // Of the quotient of differences of the expression, by PyTorch's convention: d(L)/d(x) +
  // i d(L)/d(y) of the real L whose gradient by the result is `grad`.
  ComplexNumber given, derived, difference;
};

// `given` is an author's, `derived` that of the expression, both over arguments only. Null where
// they agree, or where the expression itself does not say which of them is wrong.
std::optional<ComplexCounterexample> compare_complex(const Operator& op, const ElementNode& expr,
                                                     const ElementNode& given,
                                                     const ElementNode& derived, uint16_t argument,
                                                     SamplePoints& samples);

// `0.5 - 0.25i`
std::string complex_text(const ComplexNumber& value);

}  // namespace opweave::codegen
