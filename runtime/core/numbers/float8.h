// Float8_e4m3fn and Float8_e5m2: storage types of one byte that convert to and from float.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace opweave {
namespace detail {

// A sign, an exponent and kFraction bits of fraction in one byte. e5m2 has the infinities and NaNs
// of an IEEE format; e4m3fn has one NaN for each sign and no infinity, so that its largest exponent
// holds numbers as well.
template <int kFraction, bool kHasInfinity>
struct Float8Format {
  static constexpr int kExponent = 7 - kFraction;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint32_t kNan = 0x7f;
  static constexpr uint32_t kInfinity = ((1u << kExponent) - 1) << kFraction;
  // What numbers become that are too large: the infinity, or the largest number where there is
  // none.
  static constexpr uint32_t kTooLarge = kHasInfinity ? kInfinity : kNan - 1;

  static constexpr float to_float(uint8_t byte) {
    const uint32_t sign = static_cast<uint32_t>(byte & 0x80u) << 24;
    const uint32_t magnitude = byte & 0x7fu;
    if (kHasInfinity ? magnitude > kInfinity : magnitude == kNan) {
      return std::bit_cast<float>(sign | 0x7fc00000u);
    }
    if (kHasInfinity && magnitude == kInfinity) return std::bit_cast<float>(sign | 0x7f800000u);
    const uint32_t exponent = magnitude >> kFraction;
    const uint32_t fraction = magnitude & ((1u << kFraction) - 1);
    if (exponent == 0) {  // a multiple of the smallest number, which a float holds exactly
      const float smallest =
          std::bit_cast<float>(static_cast<uint32_t>(128 - kBias - kFraction) << 23);
      const float value = static_cast<float>(fraction) * smallest;
      return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
    }
    return std::bit_cast<float>(sign | (exponent + 127 - kBias) << 23 |
                                fraction << (23 - kFraction));
  }

  // To the nearest, ties to even.
  static constexpr uint8_t from_float(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 24 & 0x80u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t byte;
    if (magnitude > 0x7f800000u) {
      byte = kNan;
    } else if (magnitude < static_cast<uint32_t>(128 - kBias) << 23) {
      // Below the normal numbers: an addition rounds to a multiple of the smallest one, and leaves
      // how many it is in the low bits.
      constexpr uint32_t kUnit = static_cast<uint32_t>(128 - kBias + 23 - kFraction) << 23;
      const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kUnit);
      byte = std::bit_cast<uint32_t>(sum) - kUnit;
    } else {
      constexpr int kDropped = 23 - kFraction;
      const uint32_t half = (1u << (kDropped - 1)) - 1 + (magnitude >> kDropped & 1u);
      const uint32_t rounded = (magnitude + half) >> kDropped;
      constexpr uint32_t kRebias = static_cast<uint32_t>(127 - kBias) << kFraction;
      byte = rounded - kRebias < kTooLarge ? rounded - kRebias : kTooLarge;
    }
    return static_cast<uint8_t>(sign | byte);
  }
};

}  // namespace detail

template <class Format>
struct Float8 {
  uint8_t bits = 0;

  Float8() = default;
  explicit Float8(float value) : bits(Format::from_float(value)) {}
  explicit Float8(double value) : Float8(static_cast<float>(value)) {}
  template <std::integral T>
  explicit Float8(T integer) : Float8(static_cast<float>(integer)) {}
  operator float() const { return Format::to_float(bits); }
};

using Float8_e4m3fn = Float8<detail::Float8Format<3, false>>;
using Float8_e5m2 = Float8<detail::Float8Format<2, true>>;

}  // namespace opweave
