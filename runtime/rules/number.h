// Whether a number has a place in an element type.
#pragma once

#include <string_view>

#include "runtime/core/scalar.h"

namespace opweave {

// The type cannot hold, apart from its fraction: a finite number too large for it, NaN for
// integers. Negative numbers wrap in uint8; everything is true or false.
bool fits(const Scalar& value, ScalarType dtype);
// The name of the type in the message about that: `int8_t`.
std::string_view number_name(ScalarType dtype);
// RuntimeError unless the number fits.
void check_fits(const Scalar& value, ScalarType dtype);

}  // namespace opweave
