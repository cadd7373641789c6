// Vectorised random numbers against their definition, one element at a time.
#include "kernels/cpu/random/fill.h"

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <cmath>
#include <vector>

#include "runtime/core/random/random_numbers.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

constexpr PhiloxSlice kSlice{0x123456789abcdefull, 77};

Generator generator() {
  Generator g = make_intrusive<GeneratorImpl>(Device(kCPU));
  g->set_state(kSlice);
  return g;
}

uint32_t narrow(int64_t i) { return philox_block(kSlice, static_cast<uint64_t>(i / 4))[i % 4]; }
uint64_t wide(int64_t i) {
  const auto words = philox_block(kSlice, static_cast<uint64_t>(i / 2));
  return random::wide_word(words[2 * (i % 2)], words[2 * (i % 2) + 1]);
}

const int64_t kSizes[] = {0, 1, 2, 3, 31, 63, 64, 65, 1000, 70001};

// With one thread and with several, on every instruction set that this processor has.
template <class Test>
void for_threads(Test test) {
  const int before = num_threads();
  for (int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4}) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      for (int64_t n : kSizes) test(n);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
  set_num_threads(before);
}

TEST_CASE("uniform numbers") {
  for_threads([](int64_t n) {
    std::vector<float> f(n);
    fill_uniform(f.data(), kFloat, n, -2, 3, generator());
    for (int64_t i = 0; i < n; ++i) CHECK(f[i] == -2.0f + 5.0f * random::unit(narrow(i), 24));
    std::vector<double> d(n);
    fill_uniform(d.data(), kDouble, n, 0, 1, generator());
    for (int64_t i = 0; i < n; ++i) CHECK(d[i] == random::unit(wide(i), 53));
    std::vector<BFloat16> b(n);
    fill_uniform(b.data(), kBFloat16, n, 0, 1, generator());
    for (int64_t i = 0; i < n; ++i) CHECK(static_cast<float>(b[i]) == random::unit(narrow(i), 8));
  });
}

TEST_CASE("the end of the interval is not reached by rounding") {
  std::vector<Half> h(100000);
  fill_uniform(h.data(), kHalf, 100000, 1000, 1001, generator());
  for (Half x : h) CHECK((static_cast<float>(x) >= 1000 && static_cast<float>(x) < 1001));
}

TEST_CASE("normal numbers") {
  for_threads([](int64_t n) {
    std::vector<float> f(n);
    fill_normal(f.data(), kFloat, n, 0.5, 2, generator());
    for (int64_t i = 0; i < n; ++i) {
      const int64_t pair = i & ~int64_t{1};
      const float radius = std::sqrt(random::radius_squared(narrow(pair)));
      const auto direction = random::direction(narrow(pair + 1));
      const float z = radius * (i == pair ? direction.cosine : direction.sine);
      CHECK(f[i] == 0.5f + 2.0f * z);
    }
    std::vector<double> d(n);
    fill_normal(d.data(), kDouble, n, 0, 1, generator());
    for (int64_t i = 0; i < n; i += 2) {
      const double radius = std::sqrt(random::radius_squared(wide(i)));
      CHECK(d[i] == radius * random::direction(wide(i + 1)).cosine);
    }
  });
}

TEST_CASE("exponential numbers, successes and whole numbers") {
  for_threads([](int64_t n) {
    std::vector<float> f(n);
    fill_exponential(f.data(), kFloat, n, 2, generator());
    for (int64_t i = 0; i < n; ++i) CHECK(f[i] == random::exponential(narrow(i)) / 2.0f);
    std::vector<BFloat16> b(n);
    fill_bernoulli(b.data(), kBFloat16, n, 0.3, nullptr, generator());
    for (int64_t i = 0; i < n; ++i) {
      CHECK(static_cast<float>(b[i]) == (narrow(i) * 0x1p-32 < 0.3 ? 1.0f : 0.0f));
    }
    std::vector<int32_t> small(n);
    fill_integers(small.data(), kInt, n, -5, 11, generator());
    for (int64_t i = 0; i < n; ++i) {
      CHECK(small[i] == -5 + static_cast<int64_t>(random::below(narrow(i), 11)));
    }
    std::vector<int64_t> all(n);
    fill_integers(all.data(), kLong, n, 0, 0, generator());
    for (int64_t i = 0; i < n; ++i) CHECK(static_cast<uint64_t>(all[i]) == wide(i));
  });
}

TEST_CASE("a call reserves what its elements take") {
  const Generator g = generator();
  std::vector<double> d(10);
  fill_uniform(d.data(), kFloat, 9, 0, 1, g);
  CHECK(g->state().offset == kSlice.offset + 3);
  fill_uniform(d.data(), kDouble, 9, 0, 1, g);
  CHECK(g->state().offset == kSlice.offset + 3 + 5);
  fill_uniform(d.data(), kDouble, 0, 0, 1, g);
  CHECK(g->state().offset == kSlice.offset + 8);
}

}  // namespace
}  // namespace opweave::cpu
