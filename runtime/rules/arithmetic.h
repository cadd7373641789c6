// The numbers of rules at run time: int64_t.
#pragma once

#include "rules/sizes.h"
#include "runtime/core/base/error.h"
#include "runtime/core/tensor/sizes_and_strides.h"

namespace opweave::rule::generic {

template <>
struct Arithmetic<int64_t> {
  static int64_t floor_div(int64_t a, int64_t b) {
    OW_CHECK(b != 0, "division by zero");
    OW_CHECK(a != INT64_MIN || b != -1, a, " / ", b, " is out of the range of 64-bit integers");
    const int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  static int64_t stride_product(int64_t stride, int64_t size) {
    return opweave::stride_product(stride, size);
  }
  // Whether a stride is another one; whether what is filled of a block falls short of it.
  static bool is(int64_t a, int64_t b) { return a == b; }
  static bool is_short_of(int64_t filled, int64_t block) { return filled < block; }
  static bool at_least(int64_t a, int64_t b) { return a >= b; }
  static int64_t select(bool condition, int64_t a, int64_t b) { return condition ? a : b; }
  static int64_t common_size(int64_t a, int64_t b, size_t dim) {
    OW_CHECK(a == b || a == 1 || b == 1, "The size of tensor a (", a,
             ") must match the size of tensor b (", b, ") at non-singleton dimension ", dim);
    return a == 1 ? b : a;
  }
};

}  // namespace opweave::rule::generic
