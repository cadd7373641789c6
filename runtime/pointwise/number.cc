// Ranges of element types.
#include "runtime/pointwise/number.h"

#include <cmath>
#include <limits>

namespace opweave {
namespace {

// The names that PyTorch's message uses.
std::string_view cpp_name(ScalarType dtype) {
  constexpr std::string_view names[] = {"bool",  "uint8_t", "int8_t",    "int16_t",
                                        "int",   "int64_t", "c10::Half", "c10::BFloat16",
                                        "float", "double"};
  return names[static_cast<int>(dtype)];
}

// The largest magnitudes below and above zero. 2^63 has no neighbour that a double could tell
// apart.
struct Range {
  double low, high;
};

Range range_of(ScalarType dtype) {
  switch (dtype) {
    case kByte:
      return {-255, 255};
    case kChar:
      return {-0x1p7, 0x1p7 - 1};
    case kShort:
      return {-0x1p15, 0x1p15 - 1};
    case kInt:
      return {-0x1p31, 0x1p31 - 1};
    case kLong:
      return {-0x1p63, 0x1p63};
    case kHalf:
      return {-65504, 65504};
    case kBFloat16:
      return {-0x1.fep127, 0x1.fep127};
    case kFloat:
      return {-0x1.fffffep127, 0x1.fffffep127};
    default:
      return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  }
}

}  // namespace

void check_fits(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool) return;
  const double number = value.to_double();
  const Range range = range_of(dtype);
  const bool fits =
      std::isfinite(number) ? number >= range.low && number <= range.high : is_floating(dtype);
  OW_CHECK(fits, "value cannot be converted to type ", cpp_name(dtype), " without overflow");
}

}  // namespace opweave
