// FloatBits: how the numbers of a floating type lie in integers of its size.
#pragma once

#include <algorithm>
#include <limits>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::composite {

class FloatBits {
 public:
  explicit FloatBits(ScalarType type)
      : info_(dtype_info(type)), sign_(static_cast<int>(8 * info_.bytes) - 1) {}

  int64_t fraction() const { return info_.fraction; }  // how many bits of it there are
  int64_t exponents() const { return (int64_t{1} << (sign_ - info_.fraction)) - 1; }
  int64_t bias() const { return exponents() / 2; }  // the exponent's bits of 1
  int64_t lowest() const { return std::numeric_limits<int64_t>::min() >> (63 - sign_); }  // of -0
  int64_t infinity() const { return exponents() << info_.fraction; }
  // The integers.
  ScalarType whole_numbers() const {
    const auto* found = std::ranges::find_if(kDtypes, [&](const DtypeInfo& info) {
      return info.category == DtypeCategory::signed_integer && info.bytes == info_.bytes;
    });
    return static_cast<ScalarType>(found - std::begin(kDtypes));
  }

 private:
  const DtypeInfo& info_;
  int sign_;
};

}  // namespace opweave::composite
