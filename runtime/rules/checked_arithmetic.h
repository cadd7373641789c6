// Arithmetic of whole numbers, for generated formulas and rules: callers decide what the numbers
// are.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/core/base/error.h"

namespace opweave {
namespace detail {

// RuntimeError that shows the sum, difference or product and names the operator; without one here,
// whoever called it is named (Error::name_operator).
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_out_of_range(int64_t a, char symbol,
                                                                      int64_t b,
                                                                      std::string_view op) {
  OW_THROW(op.empty() ? ErrorKind::kSize : ErrorKind::kRuntime, op, op.empty() ? "" : "(): ", a,
           " ", symbol, " ", b, " is out of the range of 64-bit integers");
}

}  // namespace detail

inline int64_t checked_add(int64_t a, int64_t b, std::string_view op = {}) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    detail::throw_out_of_range(a, '+', b, op);
  return sum;
}

inline int64_t checked_sub(int64_t a, int64_t b, std::string_view op = {}) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    detail::throw_out_of_range(a, '-', b, op);
  return difference;
}

inline int64_t checked_mul(int64_t a, int64_t b, std::string_view op = {}) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    detail::throw_out_of_range(a, '*', b, op);
  return product;
}

}  // namespace opweave
