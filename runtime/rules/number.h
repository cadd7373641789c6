// Whether a number has a place in an element type: the one place where this is decided, for all
// operators that take numbers.
#pragma once

#include <string_view>

#include "runtime/core/numbers/scalar.h"

namespace opweave {

// What fits() asks where the number is not a small one.
bool fits_closely(const Scalar& value, ScalarType dtype);

// The type can hold the number, apart from its fraction: no finite number too large for it, no NaN
// for integers. Negative whole numbers wrap in unsigned types; everything is true or false.
inline bool fits(const Scalar& value, ScalarType dtype) {
  // The factors and bounds of most calls, which every type holds.
  if (value.type() <= kLong && static_cast<uint64_t>(value.to_long()) < 128) return true;
  return fits_closely(value, dtype);
}
// The name of the type in the message about that: `int8_t`.
std::string_view number_name(ScalarType dtype);
[[noreturn]] void fail_fits(ScalarType dtype);
// RuntimeError unless the number fits.
inline void check_fits(const Scalar& value, ScalarType dtype) {
  if (!fits(value, dtype)) [[unlikely]]
    fail_fits(dtype);
}

}  // namespace opweave
