// Elements as words of their size, for kernels that only move them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opweave::cpu {

// Calls f with a zero word of `item` bytes: 1, 2, 4 or 8.
template <class F>
void with_word(size_t item, F f) {
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

}  // namespace opweave::cpu
