// Which signs a number may have, as a set, and how the operations of arithmetic carry them.
#pragma once

#include <cstdint>

namespace opweave::codegen {

using Signs = uint8_t;
inline constexpr Signs kNegative = 1, kZero = 2, kPositive = 4;
inline constexpr Signs kNonzero = kNegative | kPositive;
inline constexpr Signs kNotNegative = kZero | kPositive, kNotPositive = kZero | kNegative;
inline constexpr Signs kAnySign = kNegative | kZero | kPositive;

constexpr bool within(Signs some, Signs all) { return (some & ~all) == 0; }

constexpr Signs flipped(Signs signs) {
  return static_cast<Signs>((signs & kZero) | ((signs & kNegative) ? kPositive : 0) |
                            ((signs & kPositive) ? kNegative : 0));
}

constexpr Signs sign_of_number(double value) {
  return value > 0 ? kPositive : value < 0 ? kNegative : kZero;
}

constexpr Signs product_of(Signs a, Signs b) {
  const Signs zero = (a | b) & kZero;
  const Signs same = (a & kPositive) ? b : Signs{0};
  const Signs other = (a & kNegative) ? flipped(b) : Signs{0};
  return static_cast<Signs>(zero | ((same | other) & kNonzero));
}

constexpr Signs sum_of(Signs a, Signs b) {
  if (a == kZero) return b;
  if (b == kZero) return a;
  const Signs strict = (a & b & kZero) ? Signs{0} : kZero;  // one of them is not zero
  for (const Signs side : {kNotNegative, kNotPositive}) {
    if (within(a, side) && within(b, side)) return static_cast<Signs>(side & ~strict);
  }
  return kAnySign;
}

constexpr Signs power_of(Signs base, int exponent) {
  if (exponent % 2 != 0) return base;
  return static_cast<Signs>((base & kZero) | ((base & kNonzero) ? kPositive : 0));
}

}  // namespace opweave::codegen
