// Whether a number has a place in an element type.
#pragma once

#include "runtime/core/scalar.h"

namespace opweave {

// RuntimeError if the type cannot hold the number, apart from its fraction: a finite number too
// large for it, or NaN for integers. Negative numbers wrap in uint8; everything is true or false.
void check_fits(const Scalar& value, ScalarType dtype);

}  // namespace opweave
