// What the words of a Philox stream mean: how the numbers of random operators come from them. Every
// target follows this file, so that one seed gives the same numbers everywhere, whatever the number
// of threads and the instruction set.
//
// A call on n elements reserves a slice of the stream (see generator.h). Element i, counted in
// row-major order whatever the strides, takes
//   a narrow draw  word i % 4 of block i / 4:              n / 4 blocks, rounded up;
//   a wide draw    words 2 (i % 2) and 2 (i % 2) + 1 of block i / 2, the first as the upper half:
//                                                          n / 2 blocks, rounded up.
// float64 takes wide draws, other floating types narrow ones, and bernoulli a narrow one for every
// type. Integers take narrow draws for up to 2^20 different values and wide ones for more.
//
// Arithmetic here is that of IEEE with every operation rounded once: compile what includes this
// file without contraction of a * b + c (-ffp-contract=off), or results differ in the last bit. All
// functions are constexpr, which compilers for devices take as well.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace opweave::random {

inline constexpr uint64_t kNarrowValues = uint64_t{1} << 20;

constexpr uint64_t wide_word(uint32_t first, uint32_t second) {
  return uint64_t{first} << 32 | second;
}
// The words that the random functions of F (float or double) take.
template <class F>
using Word = std::conditional_t<std::is_same_v<F, double>, uint64_t, uint32_t>;

constexpr int64_t narrow_blocks(int64_t n) { return (n + 3) / 4; }
constexpr int64_t wide_blocks(int64_t n) { return (n + 1) / 2; }

// --- the unit interval
// ---------------------------------------------------------------------------- [0, 1), in steps of
// 2^-digits: digits is the precision of the element type, so that the number is one of its values
// (8 for bfloat16, 11 for float16, 24, 53).
constexpr float unit(uint32_t word, int digits) {
  return static_cast<float>(static_cast<int32_t>(word >> (32 - digits))) /
         static_cast<float>(int32_t{1} << digits);
}
constexpr double unit(uint64_t word, int digits) {
  return static_cast<double>(static_cast<int64_t>(word >> (64 - digits))) /
         static_cast<double>(int64_t{1} << digits);
}
// (0, 1], for logarithms: fine near 0, where the tails come from.
constexpr float positive_unit(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1)) * 0x1p-31f + 0x1p-32f;
}
constexpr double positive_unit(uint64_t word) {
  return static_cast<double>(static_cast<int64_t>(word >> 1)) * 0x1p-63 + 0x1p-64;
}

// --- whole numbers
// ---------------------------------------------------------------------------------- [0, range),
// for ranges up to kNarrowValues.
constexpr uint64_t below(uint32_t word, uint64_t range) { return uint64_t{word} * range >> 32; }
// [0, range); a range of 0 stands for 2^64.
constexpr uint64_t below(uint64_t word, uint64_t range) {
  if (range == 0) return word;
  const uint64_t low = (word & 0xffffffffu) * (range & 0xffffffffu);
  const uint64_t a = (word >> 32) * (range & 0xffffffffu), b = (word & 0xffffffffu) * (range >> 32);
  const uint64_t middle = (low >> 32) + (a & 0xffffffffu) + (b & 0xffffffffu);
  return (word >> 32) * (range >> 32) + (a >> 32) + (b >> 32) + (middle >> 32);
}
// A word is a success of probability p if it is less than this.
constexpr uint64_t success_below(double p) {
  const double scaled = p * 0x1p32;
  const auto whole = static_cast<uint64_t>(scaled);
  return whole + (static_cast<double>(whole) < scaled);
}

// --- logarithm, sine and cosine, from the series themselves
namespace detail {
// a0 + x (a1 + x (a2 + …)) of coefficients given one after the other.
template <class F>
constexpr F series(F, F a) {
  return a;
}
template <class F, class... Rest>
constexpr F series(F x, F a, Rest... rest) {
  return a + x * series(x, rest...);
}
}  // namespace detail

// log u for u in (0, 1]: u = 2^e m with m near 1, log m = 2 atanh((m - 1) / (m + 1)).
constexpr float log_unit(float u) {
  constexpr int32_t kRootHalf = 0x3f3504f3;  // bits of sqrt(1/2)
  const int32_t shifted = std::bit_cast<int32_t>(u) - kRootHalf;
  const float m = std::bit_cast<float>((shifted & 0x7fffff) + kRootHalf);
  const float s = (m - 1) / (m + 1), z = s * s;
  const float atanh = detail::series(z, 1.0f, 1.0f / 3, 1.0f / 5, 1.0f / 7, 1.0f / 9);
  return static_cast<float>(shifted >> 23) * 0.693147180559945309f + 2 * s * atanh;
}
constexpr double log_unit(double u) {
  constexpr int64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const int64_t shifted = std::bit_cast<int64_t>(u) - kRootHalf;
  const double m = std::bit_cast<double>((shifted & 0xfffffffffffff) + kRootHalf);
  const double s = (m - 1) / (m + 1), z = s * s;
  const double atanh = detail::series(z, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11,
                                      1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21);
  const auto exponent = static_cast<double>(static_cast<int32_t>(shifted >> 52));
  return exponent * 0.693147180559945309 + 2 * s * atanh;
}

template <class F>
struct Direction {
  F cosine, sine;
};
namespace detail {
// An angle of `quarters` quarter turns and x, |x| <= pi / 4, of which cosine and sine are given.
template <class F>
constexpr Direction<F> turned(uint32_t quarters, F cosine, F sine) {
  const F a = quarters & 1 ? sine : cosine, b = quarters & 1 ? cosine : sine;
  return {(quarters + 1) & 2 ? -a : a, quarters & 2 ? -b : b};
}
}  // namespace detail
// The direction of word / 2^32 (2^64) turns.
constexpr Direction<float> direction(uint32_t word) {
  const uint32_t quarters = (word + 0x20000000u) >> 30;
  const float x = static_cast<float>(static_cast<int32_t>(word - (quarters << 30))) *
                  1.46291807926715968e-9f;  // 2 pi / 2^32
  const float z = x * x;
  return detail::turned(
      quarters, detail::series(z, 1.0f, -1.0f / 2, 1.0f / 24, -1.0f / 720, 1.0f / 40320),
      x * detail::series(z, 1.0f, -1.0f / 6, 1.0f / 120, -1.0f / 5040, 1.0f / 362880));
}
constexpr Direction<double> direction(uint64_t word) {
  const uint64_t quarters = (word + 0x2000000000000000u) >> 62;
  const double x = static_cast<double>(static_cast<int64_t>(word - (quarters << 62))) *
                   3.40612158008655459e-19;  // 2 pi / 2^64
  const double z = x * x;
  return detail::turned(
      static_cast<uint32_t>(quarters),
      detail::series(z, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
                     1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000),
      x * detail::series(z, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                         1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000));
}

// --- distributions
// ---------------------------------------------------------------------------------- Box and
// Muller: elements 2 k and 2 k + 1 are radius * cosine and radius * sine, where
//   radius = sqrt(radius_squared(draw of 2 k)), (cosine, sine) = direction(draw of 2 k + 1).
template <class W>
constexpr auto radius_squared(W word) {
  return -2 * log_unit(positive_unit(word));
}
// Of mean 1.
template <class W>
constexpr auto exponential(W word) {
  return -log_unit(positive_unit(word));
}

}  // namespace opweave::random
