// PyTorch's ways from the words of a Mersenne twister to numbers, a batch of words at a time, in
// plain loops that the compiler turns into vector code for each instruction set. Compiled without
// contraction: where PyTorch's code has a fused operation, it is written out.
#include "kernels/cpu/random/sequential.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/targets.h"
#include "kernels/plans/cephes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/random/sequential.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::sequential::HWY_NAMESPACE {

namespace cephes = plans::cephes;

constexpr int64_t kBatch = 256;  // draws at a time, a multiple of kBlock

// The next n words, tempered: visit(index of the first, words, how many).
template <int64_t kMost, class Visit>
HWY_INLINE void for_words(Mt19937& engine, int64_t n, Visit visit) {
  alignas(64) uint32_t words[kMost];
  for (int64_t i = 0; i < n; i += kMost) {
    const int64_t count = std::min(kMost, n - i);
    engine.take(words, static_cast<size_t>(count));
    for (int64_t k = 0; k < count; ++k) words[k] = Mt19937::tempered(words[k]);
    visit(i, words, count);
  }
}

// The next n words of 64 bits, the upper half first.
template <class Visit>
HWY_INLINE void for_wide_words(Mt19937& engine, int64_t n, Visit visit) {
  for_words<2 * kBatch>(engine, 2 * n,
                        [&](int64_t at, const uint32_t* words, int64_t count) HWY_ATTR {
                          alignas(64) uint64_t wide[kBatch];
                          for (int64_t k = 0; k < count / 2; ++k)
                            wide[k] = uint64_t{words[2 * k]} << 32 | words[2 * k + 1];
                          visit(at / 2, wide, count / 2);
                        });
}

constexpr uint64_t kDigits53 = (uint64_t{1} << 53) - 1;

// Of [0, 1), in steps of 2^-24 or 2^-53: visit(index of the first, draws, how many).
template <class F, class Visit>
HWY_INLINE void for_draws(Mt19937& engine, int64_t n, Visit visit) {
  alignas(64) F draws[kBatch];
  if constexpr (std::is_same_v<F, double>) {
    for_wide_words(engine, n, [&](int64_t at, const uint64_t* words, int64_t count) HWY_ATTR {
      for (int64_t k = 0; k < count; ++k)
        draws[k] = static_cast<double>(static_cast<int64_t>(words[k] & kDigits53)) * 0x1p-53;
      visit(at, draws, count);
    });
  } else {
    for_words<kBatch>(engine, n, [&](int64_t at, const uint32_t* words, int64_t count) HWY_ATTR {
      for (int64_t k = 0; k < count; ++k)
        draws[k] = static_cast<float>(static_cast<int32_t>(words[k] & 0xffffffu)) * 0x1p-24f;
      visit(at, draws, count);
    });
  }
}

// Where element `at` lies.
char* address(const Memory& to, int64_t at) {
  return static_cast<char*>(to.out) + at * static_cast<int64_t>(element_size(to.dtype));
}

template <class T>
void uniform_of(Mt19937& engine, T* out, int64_t n, double from, double end) {
  using F = compute_type<T>;
  const F low = static_cast<F>(from), width = static_cast<F>(end) - low;
  // Rounding may reach the end, which is not included.
  const T first = static_cast<T>(low), last = static_cast<T>(static_cast<F>(end));
  for_draws<F>(engine, n, [&](int64_t at, F* draws, int64_t count) HWY_ATTR {
    for (int64_t k = 0; k < count; ++k) draws[k] = std::fma(draws[k], width, low);
    for (int64_t k = 0; k < count; ++k) {
      const T value = static_cast<T>(draws[k]);
      out[at + k] = static_cast<F>(value) < static_cast<F>(last) ? value : first;
    }
  });
}

void fill_uniform(Mt19937& engine, const Memory& to, double from, double end) {
  visit_floating("uniform_", to.dtype, [&]<class T>(TypeTag<T>) {
    uniform_of(engine, static_cast<T*>(to.out), to.n, from, end);
  });
}

// --- sixteen at a time: the first eight are for radii, the others for angles
constexpr int64_t kBlock = 16, kHalf = 8;

struct Pair {
  float first, second;
};

HWY_INLINE Pair normal_pair(float u, float turn) {
  const float radius = std::sqrt(-2.0f * cephes::log(1.0f - u));
  const auto [cosine, sine] = cephes::direction(static_cast<float>(2 * std::numbers::pi) * turn);
  return {radius * cosine, radius * sine};
}

// Whole blocks of one batch, of which radii and angles are computed side by side.
HWY_INLINE void make_normal(float* HWY_RESTRICT d, int64_t count, float mean, float std) {
  alignas(64) float first[kBatch / 2], second[kBatch / 2];
  const int64_t pairs = count / kBlock * kHalf;
  for (int64_t k = 0; k < pairs; ++k) {
    const int64_t at = k / kHalf * kBlock + k % kHalf;
    first[k] = d[at];
    second[k] = d[at + kHalf];
  }
  for (int64_t k = 0; k < pairs; ++k) {
    const Pair pair = normal_pair(first[k], second[k]);
    first[k] = std::fma(pair.first, std, mean);
    second[k] = std::fma(pair.second, std, mean);
  }
  for (int64_t k = 0; k < pairs; ++k) {
    const int64_t at = k / kHalf * kBlock + k % kHalf;
    d[at] = first[k];
    d[at + kHalf] = second[k];
  }
}

HWY_INLINE void make_normal(double* d, int64_t count, double mean, double std) {
  for (int64_t k = 0; k < count / kBlock * kHalf; ++k) {
    double& first = d[k / kHalf * kBlock + k % kHalf];
    double& second = *(&first + kHalf);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - first));
    const double angle = 2.0 * std::numbers::pi * second;
    first = std::fma(radius * std::cos(angle), std, mean);
    second = std::fma(radius * std::sin(angle), std, mean);
  }
}

// The last sixteen are drawn again where there is a rest; halves draw none for it before.
template <class T>
void normal_blocks(Mt19937& engine, T* out, int64_t n, double mean, double std) {
  using F = compute_type<T>;
  const F shift = static_cast<F>(mean), scale = static_cast<F>(std);
  const auto make = [&](T* to, F* draws, int64_t count) HWY_ATTR {
    make_normal(draws, count, shift, scale);
    for (int64_t k = 0; k < count / kBlock * kBlock; ++k) to[k] = static_cast<T>(draws[k]);
  };
  const int64_t drawn = std::is_same_v<T, F> ? n : n / kBlock * kBlock;
  for_draws<F>(engine, drawn,
               [&](int64_t at, F* draws, int64_t count) HWY_ATTR { make(out + at, draws, count); });
  if (n % kBlock == 0) return;
  for_draws<F>(engine, kBlock, [&](int64_t, F* draws, int64_t count) HWY_ATTR {
    make(out + n - kBlock, draws, count);
  });
}

void fill_normal_blocks(Mt19937& engine, const Memory& to, double mean, double std) {
  visit_floating("normal_", to.dtype, [&]<class T>(TypeTag<T>) {
    normal_blocks(engine, static_cast<T*>(to.out), to.n, mean, std);
  });
}

// Every element of any dtype from a truth value: of draws of type F, those below its limit.
template <class F>
void successes(Mt19937& engine, const Memory& to, const double* each) {
  for_draws<F>(engine, to.n, [&](int64_t at, const F* draws, int64_t count) HWY_ATTR {
    alignas(64) bool values[kBatch];
    for (int64_t k = 0; k < count; ++k) values[k] = draws[k] < static_cast<F>(each[at + k]);
    convert(address(to, at), to.dtype, values, kBool, count);
  });
}

void fill_bernoulli(Mt19937& engine, const Memory& to, double p) {
  // k 2^-53 < p in whole numbers; scaling by a power of two is exact.
  const auto below = static_cast<uint64_t>(std::ceil(p * 0x1p53));
  for_wide_words(engine, to.n, [&](int64_t at, const uint64_t* words, int64_t count) HWY_ATTR {
    alignas(64) bool values[kBatch];
    for (int64_t k = 0; k < count; ++k) values[k] = (words[k] & kDigits53) < below;
    convert(address(to, at), to.dtype, values, kBool, count);
  });
}

void fill_each(Mt19937& engine, const Memory& to, const double* each, bool wide) {
  (wide ? successes<double> : successes<float>)(engine, to, each);
}

// low + word % range, of words of 32 or 64 bits.
void fill_whole(Mt19937& engine, const Memory& to, int64_t low, uint64_t range, bool wide) {
  const auto store = [&](int64_t at, const auto* words, int64_t count) HWY_ATTR {
    alignas(64) int64_t values[kBatch];
    for (int64_t k = 0; k < count; ++k) {
      const uint64_t value = range != 0 ? words[k] % range : words[k];
      values[k] = static_cast<int64_t>(static_cast<uint64_t>(low) + value);
    }
    convert(address(to, at), to.dtype, values, kLong, count);
  };
  if (wide) {
    for_wide_words(engine, to.n, store);
  } else {
    for_words<kBatch>(engine, to.n, store);
  }
}

}  // namespace opweave::cpu::sequential::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu::sequential {
namespace {

HWY_EXPORT(fill_uniform);
HWY_EXPORT(fill_normal_blocks);
HWY_EXPORT(fill_bernoulli);
HWY_EXPORT(fill_each);
HWY_EXPORT(fill_whole);

double wide_unit(Mt19937& words) {
  return static_cast<double>(words.wide_word() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

// Box and Muller, one pair at a time; the second of a pair waits for the next call.
double next_normal(Mt19937& words) {
  if (const std::optional<double> spare = words.take_spare_normal()) return *spare;
  const double turn = wide_unit(words), u = wide_unit(words);
  const double radius = std::sqrt(-2.0 * std::log1p(-u));
  const double angle = 2.0 * std::numbers::pi * turn;
  words.keep_spare_normal(radius * std::sin(angle));
  return radius * std::cos(angle);
}

struct WholeBounds {
  int64_t low, end;
};

int power_of(int64_t value) { return std::bit_width(static_cast<uint64_t>(std::abs(value))) - 1; }

// Where the dtype rounds the first or the last number out of [low, end), the bound moves inwards by
// a step of the dtype there, as PyTorch's does.
WholeBounds representable(ScalarType dtype, int64_t low, int64_t end) {
  visit_floating("random_", dtype, [&]<class T>(TypeTag<T>) {
    using F = compute_type<T>;
    const auto rounded = [](int64_t value) {
      return static_cast<int64_t>(static_cast<F>(static_cast<T>(static_cast<F>(value))));
    };
    const auto step = [&](int64_t at) {
      return int64_t{1} << (power_of(at) - digits_of(dtype) + 1);
    };
    if (const int64_t first = rounded(low + 1); first < low) low = first + step(low + 1);
    if (const int64_t last = rounded(end - 1); last >= end) end = last - step(end - 1);
  });
  OW_CHECK(low < end,
           "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got ",
           low, " >= ", end);
  return {low, end};
}

}  // namespace

void uniform(Mt19937& words, const Memory& to, double from, double end) {
  HWY_DYNAMIC_DISPATCH(fill_uniform)(words, to, from, end);
}

void normal(Mt19937& words, const Memory& to, double mean, double std, bool blocks) {
  constexpr int64_t kLeast = 16;
  if (blocks && to.n >= kLeast) {
    HWY_DYNAMIC_DISPATCH(fill_normal_blocks)(words, to, mean, std);
    return;
  }
  visit_floating("normal_", to.dtype, [&]<class T>(TypeTag<T>) {
    using F = compute_type<T>;
    T* out = static_cast<T*>(to.out);
    for (int64_t i = 0; i < to.n; ++i)
      out[i] = static_cast<T>(static_cast<F>(std::fma(next_normal(words), std, mean)));
  });
}

void exponential(Mt19937& words, const Memory& to, double lambda) {
  visit_floating("exponential_", to.dtype, [&]<class T>(TypeTag<T>) {
    using F = compute_type<T>;
    T* out = static_cast<T*>(to.out);
    for (int64_t i = 0; i < to.n; ++i)
      out[i] = static_cast<T>(static_cast<F>(-1.0 / lambda * std::log1p(-wide_unit(words))));
  });
}

void bernoulli(Mt19937& words, const Memory& to, double p) {
  HWY_DYNAMIC_DISPATCH(fill_bernoulli)(words, to, p);
}

void bernoulli(Mt19937& words, const Memory& to, const double* each, bool wide) {
  HWY_DYNAMIC_DISPATCH(fill_each)(words, to, each, wide);
}

void integers(Mt19937& words, const Memory& to, int64_t low, uint64_t range) {
  if (is_floating(to.dtype)) {
    const WholeBounds bounds = representable(to.dtype, low, low + static_cast<int64_t>(range));
    low = bounds.low;
    range = static_cast<uint64_t>(bounds.end - bounds.low);
  }
  constexpr uint64_t kNarrow = uint64_t{1} << 28;  // more of them are drawn from 64 bits
  HWY_DYNAMIC_DISPATCH(fill_whole)(words, to, low, range, range == 0 || range >= kNarrow);
}

void words(Mt19937& words, const Memory& to) {
  HWY_DYNAMIC_DISPATCH(fill_whole)(words, to, 0, 0, /*wide=*/true);
}
void whole(Mt19937& words, const Memory& to, uint64_t range) {
  const bool wide = to.dtype == kLong || to.dtype == kDouble;
  HWY_DYNAMIC_DISPATCH(fill_whole)(words, to, 0, range, wide);
}

}  // namespace opweave::cpu::sequential
#endif
