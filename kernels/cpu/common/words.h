// Elements as words of their size, and runs of bytes, for kernels that only move them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dtypes/dtype.h"

namespace opweave::cpu {

// Calls f with a zero word of `item` bytes: 1, 2, 4 or 8.
template <class F>
void with_word(size_t item, F f) {
  static_assert(kLargestElement == sizeof(uint64_t));
  switch (item) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    default:
      return f(uint64_t());
  }
}

// Calls f with the run as a constant where that turns a copy into a few instructions.
template <class F>
void with_run(int64_t run, F f) {
  switch (run) {
    case 1:
      return f(std::integral_constant<int64_t, 1>());
    case 2:
      return f(std::integral_constant<int64_t, 2>());
    case 4:
      return f(std::integral_constant<int64_t, 4>());
    case 8:
      return f(std::integral_constant<int64_t, 8>());
    case 16:
      return f(std::integral_constant<int64_t, 16>());
    case 32:
      return f(std::integral_constant<int64_t, 32>());
    case 64:
      return f(std::integral_constant<int64_t, 64>());
    default:
      return f(run);
  }
}

}  // namespace opweave::cpu
