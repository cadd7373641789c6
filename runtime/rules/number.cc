// Ranges of element types.
#include "runtime/rules/number.h"

#include <cmath>

namespace opweave {
namespace {

// Whole numbers that integers of a type can be written as: those of uint8 also as -1 for 255.
bool fits_whole(const Scalar& value, ScalarType dtype) {
  const bool negative = value.type() == kLong && value.to_long() < 0;
  const auto bits = static_cast<uint64_t>(value.to_long());
  const uint64_t high = UINT64_MAX >> (64 - digits_of(dtype));
  if (!negative) return bits <= high;
  const uint64_t magnitude = 0 - bits;
  return magnitude <= (is_signed(dtype) ? high + 1 : high);
}

// A fraction is cut off above, but nothing lies below the least number.
bool fits_real(double value, ScalarType dtype) {
  const double beyond = std::ldexp(1.0, digits_of(dtype));
  return value >= (is_signed(dtype) ? -beyond : 0) && value < beyond;
}

}  // namespace

bool fits_closely(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool) return true;
  if (value.is_complex()) {
    const ComplexDouble number = value.to_complex();
    if (!is_complex(dtype)) return number.imag() == 0 && fits_closely(number.real(), dtype);
    return fits_closely(number.real(), part_dtype(dtype)) &&
           fits_closely(number.imag(), part_dtype(dtype));
  }
  if (is_complex(dtype)) return fits_closely(value, part_dtype(dtype));
  if (is_floating(dtype)) {
    const double number = value.to_double();
    return !std::isfinite(number) || std::fabs(number) <= dtype_info(dtype).largest;
  }
  return value.is_floating() ? fits_real(value.to_double(), dtype) : fits_whole(value, dtype);
}

std::string_view number_name(ScalarType dtype) { return dtype_info(dtype).message; }

void fail_fits(ScalarType dtype) {
  OW_THROW(ErrorKind::kRuntime, "value cannot be converted to type ", number_name(dtype),
           " without overflow");
}

}  // namespace opweave
