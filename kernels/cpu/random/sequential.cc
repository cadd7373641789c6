// PyTorch's ways from the words of a Mersenne twister to numbers. Compiled without contraction:
// where PyTorch's code has a fused operation, it is written out.
#include "kernels/cpu/random/sequential.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/random/cephes.h"

namespace opweave::cpu::sequential {
namespace {

// Of [0, 1), in steps of 2^-24 or 2^-53.
float unit(Mt19937& words) { return static_cast<float>(words.word() & 0xffffffu) * 0x1p-24f; }
double wide_unit(Mt19937& words) {
  return static_cast<double>(words.wide_word() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}
template <class F>
F draw(Mt19937& words) {
  if constexpr (std::is_same_v<F, double>) {
    return wide_unit(words);
  } else {
    return unit(words);
  }
}

// Every element of any dtype from a number.
template <class Make>
void fill_any(const Memory& to, Make make) {
  visit_dtype("random", to.dtype, [&]<class T>(TypeTag<T>) {
    T* out = static_cast<T*>(to.out);
    for (int64_t i = 0; i < to.n; ++i) out[i] = static_cast<T>(make());
  });
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

// --- sixteen at a time: the first eight are for radii, the others for angles
constexpr int64_t kBlock = 16, kHalf = 8;

void make_normal(float* d, float mean, float std) {
  for (int64_t j = 0; j < kHalf; ++j) {
    const float radius = std::sqrt(-2.0f * cephes::log(1.0f - d[j]));
    const auto [cosine, sine] =
        cephes::direction(static_cast<float>(2 * std::numbers::pi) * d[j + kHalf]);
    d[j] = std::fma(radius * cosine, std, mean);
    d[j + kHalf] = std::fma(radius * sine, std, mean);
  }
}

void make_normal(double* d, double mean, double std) {
  for (int64_t j = 0; j < kHalf; ++j) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - d[j]));
    const double angle = 2.0 * std::numbers::pi * d[j + kHalf];
    d[j] = std::fma(radius * std::cos(angle), std, mean);
    d[j + kHalf] = std::fma(radius * std::sin(angle), std, mean);
  }
}

// The last sixteen are drawn again where there is a rest.
template <class F>
void normal_blocks(Mt19937& words, F* out, int64_t n, F mean, F std) {
  for (int64_t i = 0; i < n; ++i) out[i] = draw<F>(words);
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) make_normal(out + i, mean, std);
  if (n % kBlock == 0) return;
  F* last = out + n - kBlock;
  for (int64_t i = 0; i < kBlock; ++i) last[i] = draw<F>(words);
  make_normal(last, mean, std);
}

// Halves are made block by block, the last one in the place of the last sixteen.
template <class T>
void rounded_blocks(Mt19937& words, T* out, int64_t n, double mean, double std) {
  const auto make = [&](T* block) {
    float values[kBlock];
    for (float& value : values) value = unit(words);
    make_normal(values, static_cast<float>(mean), static_cast<float>(std));
    std::ranges::transform(values, block, [](float value) { return static_cast<T>(value); });
  };
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) make(out + i);
  if (n % kBlock != 0) make(out + n - kBlock);
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
  visit_floating("uniform_", to.dtype, [&]<class T>(TypeTag<T>) {
    using F = compute_type<T>;
    const F low = static_cast<F>(from), width = static_cast<F>(end) - low;
    // Rounding may reach the end, which is not included.
    const T first = static_cast<T>(low), last = static_cast<T>(static_cast<F>(end));
    T* out = static_cast<T*>(to.out);
    for (int64_t i = 0; i < to.n; ++i) {
      const T value = static_cast<T>(std::fma(draw<F>(words), width, low));
      out[i] = static_cast<F>(value) < static_cast<F>(last) ? value : first;
    }
  });
}

void normal(Mt19937& words, const Memory& to, double mean, double std, bool blocks) {
  visit_floating("normal_", to.dtype, [&]<class T>(TypeTag<T>) {
    using F = compute_type<T>;
    T* out = static_cast<T*>(to.out);
    if (!blocks || to.n < kBlock) {
      for (int64_t i = 0; i < to.n; ++i)
        out[i] = static_cast<T>(static_cast<F>(std::fma(next_normal(words), std, mean)));
    } else if constexpr (std::is_same_v<T, F>) {
      normal_blocks<F>(words, out, to.n, static_cast<F>(mean), static_cast<F>(std));
    } else {
      rounded_blocks(words, out, to.n, mean, std);
    }
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
  fill_any(to, [&] { return wide_unit(words) < p; });
}

void bernoulli(Mt19937& words, const Memory& to, const double* each, bool wide) {
  if (wide) {
    fill_any(to, [&] { return wide_unit(words) < *each++; });
  } else {
    fill_any(to, [&] { return unit(words) < static_cast<float>(*each++); });
  }
}

void integers(Mt19937& words, const Memory& to, int64_t low, uint64_t range) {
  if (is_floating(to.dtype)) {
    const WholeBounds bounds = representable(to.dtype, low, low + static_cast<int64_t>(range));
    low = bounds.low;
    range = static_cast<uint64_t>(bounds.end - bounds.low);
  }
  constexpr uint64_t kNarrow = uint64_t{1} << 28;  // more of them are drawn from 64 bits
  fill_any(to, [&] {
    uint64_t value = range != 0 && range < kNarrow ? words.word() : words.wide_word();
    if (range != 0) value %= range;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + value);
  });
}

void whole(Mt19937& words, const Memory& to, uint64_t range) {
  const bool wide = to.dtype == kLong || to.dtype == kDouble;
  fill_any(to,
           [&] { return static_cast<int64_t>((wide ? words.wide_word() : words.word()) % range); });
}

}  // namespace opweave::cpu::sequential
