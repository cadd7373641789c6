// Conversion of 16-bit floats.
#include "kernels/cpu/convert.h"

#include <bit>

#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/convert.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void half_to_float(const Half* in, float* out, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* from = reinterpret_cast<const hwy::float16_t*>(in);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(d16, from + i)), d, out + i);
  for (; i < n; ++i) out[i] = in[i];
}

void float_to_half(const float* in, Half* out, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2  // below that Highway's emulation does not round to even
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* to = reinterpret_cast<hwy::float16_t*>(out);
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::DemoteTo(d16, hn::LoadU(d, in + i)), d16, to + i);
  }
#endif
  for (; i < n; ++i) out[i] = Half(in[i]);
}

void bfloat16_to_float(const BFloat16* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(uint32_t{in[i].bits} << 16);
}

void float_to_bfloat16(const float* in, BFloat16* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t u = std::bit_cast<uint32_t>(in[i]);
    const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    out[i].bits = static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
  }
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {

HWY_EXPORT(half_to_float);
HWY_EXPORT(float_to_half);
HWY_EXPORT(bfloat16_to_float);
HWY_EXPORT(float_to_bfloat16);

void convert(const Half* in, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(half_to_float)(in, out, n);
}
void convert(const float* in, Half* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(float_to_half)(in, out, n);
}
void convert(const BFloat16* in, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(bfloat16_to_float)(in, out, n);
}
void convert(const float* in, BFloat16* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(float_to_bfloat16)(in, out, n);
}

}  // namespace opweave::cpu
#endif
