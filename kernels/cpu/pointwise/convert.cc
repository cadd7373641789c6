// One loop per pair of types; those that arithmetic is not done in go through float.
#include "kernels/cpu/pointwise/convert.h"

#include <algorithm>
#include <concepts>
#include <cstring>

#include "runtime/core/base/error.h"
#include "runtime/core/numbers/scalar_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/pointwise/convert.cc"
#include "kernels/cpu/pointwise/targets.h"
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

using Conversion = void (*)(void* to, const void* from, int64_t n);
constexpr int64_t kUnrolled = 64;  // a fixed count, which the compiler turns into vectors

template <class To, class From>
HWY_INLINE To converted(From value) {
  if constexpr (std::same_as<To, bool>) {
    return value != From(0);
  } else if constexpr (std::same_as<To, uint64_t> && std::floating_point<From>) {
    return value < 0 ? static_cast<To>(static_cast<int64_t>(value)) : static_cast<To>(value);
  } else if constexpr (std::is_unsigned_v<To> && std::floating_point<From>) {
    return static_cast<To>(static_cast<int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_loop(void* to, const void* from, int64_t n) {
  // bool is read and written as the byte that it is in memory.
  using Stored = std::conditional_t<std::same_as<To, bool>, uint8_t, To>;
  using Loaded = std::conditional_t<std::same_as<From, bool>, uint8_t, From>;
  auto* out = static_cast<Stored*>(to);
  const auto* in = static_cast<const Loaded*>(from);
  int64_t i = 0;
  for (; i + kUnrolled <= n; i += kUnrolled) {
#pragma GCC ivdep
    for (int64_t j = i; j < i + kUnrolled; ++j) out[j] = converted<To>(in[j]);
  }
  for (; i < n; ++i) out[i] = converted<To>(in[i]);
}

namespace hn = hwy::HWY_NAMESPACE;

// BFloat16 in the bits of float: plain integer code, which becomes vectors in blocks.
HWY_INLINE uint32_t bits_of_bfloat16(uint16_t value) { return static_cast<uint32_t>(value) << 16; }
HWY_INLINE uint16_t bfloat16_of_bits(uint32_t bits) {
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<uint16_t>(nan ? 0x7fc0u : rounded);
}

void bfloat16_to_float(void* to, const void* from, int64_t n) {
  auto* out = static_cast<uint32_t*>(to);
  const auto* in = static_cast<const uint16_t*>(from);
  int64_t i = 0;
  for (; i + kUnrolled <= n; i += kUnrolled) {
#pragma GCC ivdep
    for (int64_t j = i; j < i + kUnrolled; ++j) out[j] = bits_of_bfloat16(in[j]);
  }
  for (; i < n; ++i) out[i] = bits_of_bfloat16(in[i]);
}

void float_to_bfloat16(void* to, const void* from, int64_t n) {
  auto* out = static_cast<uint16_t*>(to);
  const auto* in = static_cast<const uint32_t*>(from);
  int64_t i = 0;
  for (; i + kUnrolled <= n; i += kUnrolled) {
#pragma GCC ivdep
    for (int64_t j = i; j < i + kUnrolled; ++j) out[j] = bfloat16_of_bits(in[j]);
  }
  for (; i < n; ++i) out[i] = bfloat16_of_bits(in[i]);
}

void half_to_float(void* to, const void* from, int64_t n) {
  auto* out = static_cast<float*>(to);
  const auto* in = static_cast<const Half*>(from);
  int64_t i = 0;
#if HWY_TARGET != HWY_SSE4  // which has no instruction for it
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    const auto half = hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(in + i));
    hn::StoreU(hn::PromoteTo(d, half), d, out + i);
  }
#endif
  for (; i < n; ++i) out[i] = static_cast<float>(in[i]);
}

void float_to_half(void* to, const void* from, int64_t n) {
  auto* out = static_cast<Half*>(to);
  const auto* in = static_cast<const float*>(from);
  int64_t i = 0;
#if HWY_TARGET != HWY_SSE4
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    const auto half = hn::DemoteTo(d16, hn::LoadU(d, in + i));
    hn::StoreU(half, d16, reinterpret_cast<hwy::float16_t*>(out + i));
  }
#endif
  for (; i < n; ++i) out[i] = Half(in[i]);
}

// The loop for a pair of types; by hand where the compiler makes no vectors of it.
template <class To, class From>
constexpr Conversion kLoop = &convert_loop<To, From>;
template <>
constexpr Conversion kLoop<float, BFloat16> = &bfloat16_to_float;
template <>
constexpr Conversion kLoop<BFloat16, float> = &float_to_bfloat16;
template <>
constexpr Conversion kLoop<float, Half> = &half_to_float;
template <>
constexpr Conversion kLoop<Half, float> = &float_to_half;

constexpr DtypeMask kStored = dtypes::kComputedWider;
constexpr DtypeMask kComputed = dtypes::kReal & ~kStored;

// Between a complex type and that of its parts; what is no complex number has an imaginary part of
// zero, and loses its own.
template <Complex T>
void parts_of_complex(void* to, const void* from, int64_t n) {
  using Part = typename T::value_type;
  for (int64_t i = 0; i < n; ++i) static_cast<Part*>(to)[i] = static_cast<const T*>(from)[i].real();
}
template <Complex T>
void complex_of_parts(void* to, const void* from, int64_t n) {
  using Part = typename T::value_type;
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = static_cast<const Part*>(from)[i];
}
template <Complex T>
void truth_of_complex(void* to, const void* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<uint8_t*>(to)[i] = static_cast<const T*>(from)[i] != T(0);
  }
}

[[noreturn]] void fail_pair(ScalarType to, ScalarType from) {
  OW_THROW(ErrorKind::kInternal, "no loop converts ", from, " to ", to);
}

// The loop for a pair of types, of which one that is only stored pairs with float alone, and a
// complex one with that of its parts.
Conversion conversion(ScalarType to, ScalarType from) {
  const auto fail = [=] { fail_pair(to, from); };
  if (is_complex(from)) {
    return visit_dtypes<dtypes::kComplex>(
        from,
        [=]<class From>(TypeTag<From>) {
          return to == kBool ? &truth_of_complex<From> : &parts_of_complex<From>;
        },
        fail);
  }
  if (is_complex(to)) {
    return visit_dtypes<dtypes::kComplex>(
        to, []<class To>(TypeTag<To>) { return &complex_of_parts<To>; }, fail);
  }
  if (contains(kStored, from)) {
    return visit_dtypes<kStored>(
        from, []<class From>(TypeTag<From>) { return kLoop<float, From>; }, fail);
  }
  if (contains(kStored, to)) {
    return visit_dtypes<kStored>(
        to, []<class To>(TypeTag<To>) { return kLoop<To, float>; }, fail);
  }
  return visit_dtypes<kComputed>(
      from,
      [=]<class From>(TypeTag<From>) {
        return visit_dtypes<kComputed>(
            to, []<class To>(TypeTag<To>) { return kLoop<To, From>; }, fail);
      },
      fail);
}

void convert_pair(void* to, ScalarType to_type, const void* from, ScalarType from_type, int64_t n) {
  conversion(to_type, from_type)(to, from, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(convert_pair);

// The type through which one becomes the other; kUndefined where a loop does it at once.
static ScalarType between(ScalarType to, ScalarType from) {
  if (is_complex(from) && to == kBool) return ScalarType::kUndefined;
  if (is_complex(from)) return part_dtype(from) == to ? ScalarType::kUndefined : part_dtype(from);
  if (is_complex(to)) return part_dtype(to) == from ? ScalarType::kUndefined : part_dtype(to);
  const bool through_float = (contains(dtypes::kComputedWider, from) && to != kFloat) ||
                             (contains(dtypes::kComputedWider, to) && from != kFloat);
  return through_float ? kFloat : ScalarType::kUndefined;
}

void convert(void* to, ScalarType to_type, const void* from, ScalarType from_type, int64_t n) {
  if (to_type == from_type) {
    std::memmove(to, from, static_cast<size_t>(n) * element_size(to_type));
    return;
  }
  if (is_complex(to_type) && is_complex(from_type)) {
    // Each a row of its parts.
    return convert(to, part_dtype(to_type), from, part_dtype(from_type), 2 * n);
  }
  const ScalarType middle = between(to_type, from_type);
  if (middle == ScalarType::kUndefined) {
    return HWY_DYNAMIC_DISPATCH(convert_pair)(to, to_type, from, from_type, n);
  }
  constexpr int64_t kChunk = 512;
  double buffer[kChunk];  // of float or double
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t count = std::min(kChunk, n - i);
    const auto at = static_cast<size_t>(i);
    convert(buffer, middle, static_cast<const char*>(from) + at * element_size(from_type),
            from_type, count);
    convert(static_cast<char*>(to) + at * element_size(to_type), to_type, buffer, middle, count);
  }
}

}  // namespace opweave::cpu
#endif
