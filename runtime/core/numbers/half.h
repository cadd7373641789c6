// Half (IEEE binary16) and BFloat16: storage types that convert to and from float.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace opweave {

// BFloat16 is the upper half of a float32. Conversion rounds to nearest, ties to even.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    const uint32_t u = std::bit_cast<uint32_t>(value);
    const bool nan = (u & 0x7fffffffu) > 0x7f800000u;
    const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    bits = static_cast<uint16_t>(nan ? 0x7fc0u : rounded);
  }
  explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  template <std::integral T>
  explicit BFloat16(T integer) : BFloat16(static_cast<float>(integer)) {}
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

// Half uses the compiler's _Float16, which becomes one instruction where the processor has it.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  explicit Half(double value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  template <std::integral T>
  explicit Half(T integer) : Half(static_cast<float>(integer)) {}
  operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
};

}  // namespace opweave
