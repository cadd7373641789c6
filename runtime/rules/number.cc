// Ranges of element types.
#include "runtime/rules/number.h"

#include <cmath>

namespace opweave {
namespace {

// The largest magnitudes below and above zero. Negative numbers wrap in unsigned types; 2^63 and
// 2^64 have no neighbour that a double could tell apart.
struct Range {
  double low, high;
};

Range range_of(ScalarType dtype) {
  if (is_floating(dtype)) return {-dtype_info(dtype).largest, dtype_info(dtype).largest};
  const double beyond = std::ldexp(1.0, digits_of(dtype));
  const double high = beyond - 1;
  return {is_signed(dtype) ? -beyond : -high, high};
}

}  // namespace

bool fits(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool) return true;
  const double number = value.to_double();
  const Range range = range_of(dtype);
  return std::isfinite(number) ? number >= range.low && number <= range.high : is_floating(dtype);
}

std::string_view number_name(ScalarType dtype) { return dtype_info(dtype).message; }

void check_fits(const Scalar& value, ScalarType dtype) {
  OW_CHECK(fits(value, dtype), "value cannot be converted to type ", number_name(dtype),
           " without overflow");
}

}  // namespace opweave
