// The meaning of random words: accuracy of the functions, ends of the intervals, exact ranges.
#include "runtime/core/random/random_numbers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace opweave::random {
namespace {

constexpr double kTurn = 6.283185307179586476925;

TEST_CASE("numbers of the unit interval") {
  CHECK(unit(uint32_t{0}, 24) == 0.0f);
  CHECK(unit(uint32_t{0xffffffff}, 24) == 1.0f - 0x1p-24f);
  CHECK(unit(uint32_t{0xffffffff}, 8) == 1.0f - 0x1p-8f);
  CHECK(unit(~uint64_t{0}, 53) == 1.0 - 0x1p-53);
  CHECK(positive_unit(uint32_t{0}) == 0x1p-32f);
  CHECK(positive_unit(uint32_t{0xffffffff}) == 1.0f);
  CHECK(positive_unit(~uint64_t{0}) == 1.0);
}

TEST_CASE("logarithms and directions agree with the C library") {
  std::mt19937_64 words(7);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t wide = words() >> (i % 40);
    const auto narrow = static_cast<uint32_t>(wide);
    const float u = positive_unit(narrow);
    CHECK(std::abs(log_unit(u) - std::log(static_cast<double>(u))) <=
          3e-7 * (1e-3 + std::abs(std::log(static_cast<double>(u)))));
    const double v = positive_unit(wide);
    CHECK(std::abs(log_unit(v) - std::log(v)) <= 1e-15 * (1e-3 + std::abs(std::log(v))));
    const auto d = direction(narrow);
    CHECK(std::abs(d.cosine - std::cos(narrow * (kTurn * 0x1p-32))) <= 2e-7);
    CHECK(std::abs(d.sine - std::sin(narrow * (kTurn * 0x1p-32))) <= 2e-7);
    const auto e = direction(wide);
    const auto angle = static_cast<double>(static_cast<long double>(wide) * kTurn * 0x1p-64L);
    CHECK(std::abs(e.cosine - std::cos(angle)) <= 2e-15);
    CHECK(std::abs(e.sine - std::sin(angle)) <= 2e-15);
  }
}

TEST_CASE("whole numbers below a range") {
  CHECK(below(uint32_t{0}, 10) == 0);
  CHECK(below(uint32_t{0xffffffff}, 10) == 9);
  CHECK(below(~uint64_t{0}, 10) == 9);
  CHECK(below(uint64_t{12345}, 0) == 12345);  // all of 64 bits
  std::mt19937_64 words(3);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t word = words(), range = words() | 1;
    const auto exact = static_cast<uint64_t>(static_cast<unsigned __int128>(word) * range >> 64);
    CHECK(below(word, range) == exact);
  }
}

TEST_CASE("successes of certain and of impossible events") {
  CHECK(success_below(0) == 0);
  CHECK(success_below(1) == uint64_t{1} << 32);
  CHECK(success_below(0.5) == uint64_t{1} << 31);
  CHECK(success_below(1e-300) == 1);  // possible, if hardly
}

}  // namespace
}  // namespace opweave::random
