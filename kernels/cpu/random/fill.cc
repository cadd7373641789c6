// Random numbers, a batch of Philox blocks at a time. What is made of them are plain loops that the
// compiler turns into vector code for each instruction set.
#include "kernels/cpu/random/fill.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/targets.h"
#include "kernels/cpu/random/fills.h"
#include "runtime/core/random/random_numbers.h"
#include "runtime/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/random/fill.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

constexpr int kBlocks = 16;          // made at a time
constexpr int kWords = 4 * kBlocks;  // of a batch

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::CappedTag<uint32_t, kBlocks>;
using WordVector = hn::Vec<Words>;

struct Product {
  WordVector low, high;
};

// The halves of the 64-bit products: even and odd lanes are multiplied apart.
HWY_INLINE Product multiply(WordVector a, WordVector b) {
  const Words d;
  const hn::RepartitionToWide<Words> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd_lanes = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, b)));
  const auto odd = hn::MulEven(a, odd_lanes);
  return {hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even)),
          hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)))};
}

// Ten rounds of Philox-4x32 on blocks that stand side by side, one a lane.
HWY_INLINE void philox_lanes(const uint32_t* low, const uint32_t* high, uint64_t seed,
                             uint32_t* HWY_RESTRICT words) {
  const Words d;
  WordVector c0 = hn::Load(d, low), c1 = hn::Load(d, high), c2 = hn::Zero(d), c3 = c2;
  auto k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  const WordVector m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    const Product a = multiply(m0, c0), b = multiply(m1, c2);
    c0 = hn::Xor(hn::Xor(b.high, c1), hn::Set(d, k0));
    c2 = hn::Xor(hn::Xor(a.high, c3), hn::Set(d, k1));
    c1 = b.low;
    c3 = a.low;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  hn::StoreInterleaved4(c0, c1, c2, c3, d, words);
}

HWY_NOINLINE void philox_batch(const PhiloxSlice& slice, uint64_t first,
                               uint32_t* HWY_RESTRICT words) {
  alignas(64) uint32_t low[kBlocks], high[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t counter = slice.offset + first + static_cast<uint64_t>(i);
    low[i] = static_cast<uint32_t>(counter);
    high[i] = static_cast<uint32_t>(counter >> 32);
  }
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(Words()));
  for (int i = 0; i < kBlocks; i += kLanes) {
    philox_lanes(low + i, high + i, slice.seed, words + 4 * i);
  }
}

// Draws of type W, a batch at a time: visit(index of the first, draws, how many).
template <class W, class Visit>
HWY_INLINE void for_draws(const PhiloxSlice& slice, int64_t begin, int64_t end, Visit visit) {
  constexpr int64_t kDraws = kWords * 4 / static_cast<int64_t>(sizeof(W));
  alignas(64) uint32_t words[kWords];
  for (int64_t i = begin; i < end; i += kDraws) {
    philox_batch(slice, static_cast<uint64_t>(i / kDraws) * kBlocks, words);
    const int64_t n = std::min(kDraws, end - i);
    if constexpr (sizeof(W) == 4) {
      visit(i, words, n);
    } else {
      alignas(64) uint64_t wide[kDraws];
      for (int64_t k = 0; k < kDraws; ++k)
        wide[k] = random::wide_word(words[2 * k], words[2 * k + 1]);
      visit(i, wide, n);
    }
  }
}

template <class T, class Distribution>
void fill_part(const Distribution& distribution, T* out, const PhiloxSlice& slice, int64_t begin,
               int64_t end) {
  using F = Real<T>;
  using W = random::Word<F>;
  for_draws<W>(slice, begin, end, [&](int64_t at, const W* draws, int64_t n) HWY_ATTR {
    constexpr int64_t kDraws = kWords * 4 / static_cast<int64_t>(sizeof(W));
    alignas(64) F values[kDraws];
    distribution.template make<F>(draws, values, kDraws);
    for (int64_t i = 0; i < n; ++i) out[at + i] = distribution.template store<T>(values[i]);
  });
}

template <class Distribution>
void fill_floats(const Distribution& distribution, const Target& to, int64_t begin, int64_t end) {
  visit_floating("random", to.dtype, [&]<class T>(TypeTag<T>) {
    fill_part(distribution, static_cast<T*>(to.out), to.slice, begin, end);
  });
}

// Where element `at` lies.
char* address(const Target& to, int64_t at) {
  return static_cast<char*>(to.out) + at * static_cast<int64_t>(element_size(to.dtype));
}

void fill_bernoulli(const Bernoulli& d, const Target& to, int64_t begin, int64_t end) {
  const uint64_t below = random::success_below(d.p);
  // 2^32 for certain success: more than a word holds, so the last word it admits is compared.
  const bool never = below == 0;
  const auto last = static_cast<uint32_t>(below - 1);
  for_draws<uint32_t>(to.slice, begin, end,
                      [&](int64_t at, const uint32_t* draws, int64_t n) HWY_ATTR {
                        alignas(64) bool values[kWords];
                        if (d.each != nullptr) {
                          for (int64_t i = 0; i < n; ++i)
                            values[i] = draws[i] < random::success_below(d.each[at + i]);
                        } else {
                          for (int64_t i = 0; i < kWords; ++i)
                            values[i] = (draws[i] <= last) & !never;
                        }
                        convert(address(to, at), to.dtype, values, kBool, n);
                      });
}

template <class W>
void integers_part(const Integers& d, const Target& to, int64_t begin, int64_t end) {
  for_draws<W>(to.slice, begin, end, [&](int64_t at, const W* draws, int64_t n) HWY_ATTR {
    alignas(64) int64_t values[kWords];
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t value = static_cast<uint64_t>(d.low) + random::below(draws[i], d.range);
      values[i] = static_cast<int64_t>(value);
    }
    convert(address(to, at), to.dtype, values, kLong, n);
  });
}

void fill_integers(const Integers& d, const Target& to, int64_t begin, int64_t end) {
  (d.wide() ? integers_part<uint64_t> : integers_part<uint32_t>)(d, to, begin, end);
}

const Fills* fills() {
  static constexpr Fills table{&fill_floats<Uniform>, &fill_floats<Normal>,
                               &fill_floats<Exponential>, &fill_bernoulli, &fill_integers};
  return &table;
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
namespace {

HWY_EXPORT(fills);

// Reserves what n elements take, and fills them in parts that end where batches do.
template <class Distribution>
void fill(Fill<Distribution> part, const Distribution& distribution, void* out, ScalarType dtype,
          int64_t n, bool wide, const Generator& generator) {
  constexpr int64_t kBatch = 64;
  const int64_t blocks = wide ? random::wide_blocks(n) : random::narrow_blocks(n);
  const Target to{out, dtype, generator->reserve(static_cast<uint64_t>(blocks))};
  parallel_for(0, (n + kBatch - 1) / kBatch, kGrainSize / kBatch / 4,
               [&](int64_t begin, int64_t end) {
                 part(distribution, to, begin * kBatch, std::min(n, end * kBatch));
               });
}

}  // namespace

void fill_uniform(void* out, ScalarType dtype, int64_t n, double from, double to,
                  const Generator& generator) {
  fill(HWY_DYNAMIC_DISPATCH(fills)()->uniform, Uniform{from, to, digits_of(dtype)}, out, dtype, n,
       dtype == kDouble, generator);
}

void fill_normal(void* out, ScalarType dtype, int64_t n, double mean, double std,
                 const Generator& generator) {
  fill(HWY_DYNAMIC_DISPATCH(fills)()->normal, Normal{mean, std}, out, dtype, n, dtype == kDouble,
       generator);
}

void fill_exponential(void* out, ScalarType dtype, int64_t n, double lambda,
                      const Generator& generator) {
  fill(HWY_DYNAMIC_DISPATCH(fills)()->exponential, Exponential{lambda}, out, dtype, n,
       dtype == kDouble, generator);
}

void fill_bernoulli(void* out, ScalarType dtype, int64_t n, double p, const double* probabilities,
                    const Generator& generator) {
  fill(HWY_DYNAMIC_DISPATCH(fills)()->bernoulli, Bernoulli{p, probabilities}, out, dtype, n,
       /*wide=*/false, generator);
}

void fill_integers(void* out, ScalarType dtype, int64_t n, int64_t low, uint64_t range,
                   const Generator& generator) {
  const Integers integers{low, range};
  fill(HWY_DYNAMIC_DISPATCH(fills)()->integers, integers, out, dtype, n, integers.wide(),
       generator);
}

}  // namespace opweave::cpu
#endif
