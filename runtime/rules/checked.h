// Checked: the numbers of rules at run time where options, which can be anything, decide sizes.
#pragma once

#include "runtime/rules/arithmetic.h"

namespace opweave::rule::generic {

// A number that refuses to overflow.
class Checked {
 public:
  Checked(int64_t value) : value_(value) {}    // NOLINT: a number is one
  operator int64_t() const { return value_; }  // NOLINT: and back

  friend Checked operator+(Checked a, Checked b) {
    return made(!__builtin_add_overflow(a.value_, b.value_, &a.value_), a);
  }
  friend Checked operator-(Checked a, Checked b) {
    return made(!__builtin_sub_overflow(a.value_, b.value_, &a.value_), a);
  }
  friend Checked operator*(Checked a, Checked b) {
    return made(!__builtin_mul_overflow(a.value_, b.value_, &a.value_), a);
  }

 private:
  static Checked made(bool fits, Checked value) {
    OW_CHECK_SIZE(fits, "a size is out of the range of 64-bit integers");
    return value;
  }

  int64_t value_;
};

template <>
struct Arithmetic<Checked> {
  static Checked floor_div(Checked a, Checked b) { return Arithmetic<int64_t>::floor_div(a, b); }
  static bool at_least(Checked a, Checked b) { return int64_t(a) >= int64_t(b); }
  static Checked select(bool condition, Checked a, Checked b) { return condition ? a : b; }
};

}  // namespace opweave::rule::generic
