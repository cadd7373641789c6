// SLEEF's functions on the target's vectors, each within one ulp over all inputs (erfc: 1.5).
// Its header hides the AVX-512 functions unless the whole file is compiled for AVX-512, so they are
// declared here, for the target in hand only.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_SLEEF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_SLEEF_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_SLEEF_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_SLEEF_INL_H_
#endif

#include "kernels/cpu/pointwise/lanes-inl.h"

#undef OW_SLEEF_FLOAT
#undef OW_SLEEF_DOUBLE
#if HWY_TARGET == HWY_AVX3
#define OW_SLEEF_FLOAT(name, error) Sleef_##name##f16_##error##avx512f
#define OW_SLEEF_DOUBLE(name, error) Sleef_##name##d8_##error##avx512f
#elif HWY_TARGET == HWY_AVX2
#define OW_SLEEF_FLOAT(name, error) Sleef_##name##f8_##error##avx2
#define OW_SLEEF_DOUBLE(name, error) Sleef_##name##d4_##error##avx2
#else
#define OW_SLEEF_FLOAT(name, error) Sleef_##name##f4_##error##sse4
#define OW_SLEEF_DOUBLE(name, error) Sleef_##name##d2_##error##sse4
#endif

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace sleef {

using Floats = hn::Vec<hn::ScalableTag<float>>;
using Doubles = hn::Vec<hn::ScalableTag<double>>;
using RawFloats = decltype(Floats::raw);
using RawDoubles = decltype(Doubles::raw);

#define OW_SLEEF_UNARY(name, error)                                                   \
  extern "C" RawFloats OW_SLEEF_FLOAT(name, error)(RawFloats);                        \
  extern "C" RawDoubles OW_SLEEF_DOUBLE(name, error)(RawDoubles);                     \
  OW_POINTWISE Floats name(Floats a) { return {OW_SLEEF_FLOAT(name, error)(a.raw)}; } \
  OW_POINTWISE Doubles name(Doubles a) { return {OW_SLEEF_DOUBLE(name, error)(a.raw)}; }
#define OW_SLEEF_BINARY(name, error)                                          \
  extern "C" RawFloats OW_SLEEF_FLOAT(name, error)(RawFloats, RawFloats);     \
  extern "C" RawDoubles OW_SLEEF_DOUBLE(name, error)(RawDoubles, RawDoubles); \
  OW_POINTWISE Floats name(Floats a, Floats b) {                              \
    return {OW_SLEEF_FLOAT(name, error)(a.raw, b.raw)};                       \
  }                                                                           \
  OW_POINTWISE Doubles name(Doubles a, Doubles b) {                           \
    return {OW_SLEEF_DOUBLE(name, error)(a.raw, b.raw)};                      \
  }

OW_SLEEF_UNARY(exp, u10)
OW_SLEEF_UNARY(exp2, u10)
OW_SLEEF_UNARY(expm1, u10)
OW_SLEEF_UNARY(log, u10)
OW_SLEEF_UNARY(log2, u10)
OW_SLEEF_UNARY(log10, u10)
OW_SLEEF_UNARY(log1p, u10)
OW_SLEEF_UNARY(sin, u10)
OW_SLEEF_UNARY(cos, u10)
OW_SLEEF_UNARY(tan, u10)
OW_SLEEF_UNARY(asin, u10)
OW_SLEEF_UNARY(acos, u10)
OW_SLEEF_UNARY(atan, u10)
OW_SLEEF_UNARY(sinh, u10)
OW_SLEEF_UNARY(cosh, u10)
OW_SLEEF_UNARY(tanh, u10)
OW_SLEEF_UNARY(asinh, u10)
OW_SLEEF_UNARY(acosh, u10)
OW_SLEEF_UNARY(atanh, u10)
OW_SLEEF_UNARY(erf, u10)
OW_SLEEF_UNARY(erfc, u15)
OW_SLEEF_UNARY(lgamma, u10)
OW_SLEEF_BINARY(pow, u10)
OW_SLEEF_BINARY(atan2, u10)
OW_SLEEF_BINARY(hypot, u05)
OW_SLEEF_BINARY(fmod, )

#undef OW_SLEEF_UNARY
#undef OW_SLEEF_BINARY

}  // namespace sleef
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
