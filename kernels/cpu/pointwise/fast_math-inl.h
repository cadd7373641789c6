// The functions of floats that networks spend their time in, inline: 1.5 to 4 times as fast as a
// call into SLEEF, within two ulp over all inputs. Coefficients are minimax fits in the relative
// error. Only for targets with fused multiply-add; others, and doubles, use SLEEF.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_FAST_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_FAST_MATH_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_FAST_MATH_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_FAST_MATH_INL_H_
#endif

#include "kernels/cpu/pointwise/lanes-inl.h"
#include "kernels/cpu/pointwise/sleef-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace fast {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

#if HWY_NATIVE_FMA

using I = hn::RebindToSigned<D>;

OW_POINTWISE V constant(float value) { return hn::Set(D(), value); }

// c0 + x (c1 + x (c2 + ...)).
OW_POINTWISE V polynomial(V, float c0) { return constant(c0); }
template <class... Rest>
OW_POINTWISE V polynomial(V x, float c0, Rest... rest) {
  return hn::MulAdd(polynomial(x, rest...), x, constant(c0));
}

// Into [-limit, limit]. NaN stays: the instruction returns its second operand for it.
OW_POINTWISE V clamp(V x, float limit) {
  return hn::Min(constant(limit), hn::Max(constant(-limit), x));
}

// a / b for b in [1, 2^100]. A division of 16 floats takes 16 cycles, this 3.
OW_POINTWISE V quotient(V a, V b) {
#if HWY_TARGET == HWY_AVX3
  const V r{_mm512_rcp14_ps(b.raw)};
  const V q = hn::Mul(a, r);
  return hn::MulAdd(hn::NegMulAdd(b, q, a), r, q);
#else
  return hn::Div(a, b);
#endif
}

// Adding it rounds to an integer, which then stands in the low bits.
constexpr float kRounder = 0x1.8p23f;

#if HWY_TARGET == HWY_AVX3

// x = (k + j / 32) log 2 + r. 2^(j / 32) comes from a table of two registers, e^r - 1 is a short
// polynomial, and the instruction that scales by 2^k knows overflow, subnormals and infinities.
OW_POINTWISE V exp(V x) {
  alignas(64) static constexpr float kPowers[32] = {
      0x1p+0f,        0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
      0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fep+0f,  0x1.371a74p+0f,
      0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
      0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
      0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
      0x1.b7f77p+0f,  0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
      0x1.ea4afap+0f, 0x1.f50766p+0f};
  const V rounder = constant(0x1.8p18f);  // rounds to 1/32
  const V z = hn::MulAdd(x, constant(0x1.715476p+0f), rounder);
  const V n = hn::Sub(z, rounder);
  const __m512i bits = _mm512_castps_si512(z.raw);
  const V power{
      _mm512_permutex2var_ps(hn::Load(D(), kPowers).raw, bits, hn::Load(D(), kPowers + 16).raw)};
  const V r =
      hn::NegMulAdd(n, constant(0x1.0bfbe8p-15f), hn::NegMulAdd(n, constant(0x1.62ep-1f), x));
  const V e = hn::Mul(r, polynomial(r, 0x1.0000f6p+0f, 0x1.fffffep-2f));
  // Far from zero and for NaN, r means nothing: only the scaling counts. Unsigned, negative z is
  // large.
  constexpr int kTooLarge = 0x48c00000 + 32 * 130;
  const __mmask16 near = _mm512_cmplt_epu32_mask(bits, _mm512_set1_epi32(kTooLarge));
  const __m512 p = _mm512_mask_fmadd_ps(power.raw, near, e.raw, power.raw);
  return V{_mm512_scalef_ps(p, n.raw)};
}

#else

// x = k log 2 + r, and e^r is a polynomial; `rounder` has a number of its own in its low bits.
struct ExpParts {
  V z, n, r;

  HWY_INLINE ExpParts(V x, float rounder) {
    z = hn::MulAdd(x, constant(0x1.715476p+0f), constant(rounder));
    n = hn::Sub(z, constant(rounder));
    r = hn::NegMulAdd(n, constant(0x1.0bfbe8p-15f), hn::NegMulAdd(n, constant(0x1.62ep-1f), x));
  }
};

// `scale` times e^r.
OW_POINTWISE V exp_of_rest(V r, float scale) {
  return polynomial(r, scale, scale * 0x1.fffff6p-1f, scale * 0x1.fffdbep-2f,
                    scale * 0x1.555a78p-3f, scale * 0x1.573d6p-5f, scale * 0x1.0fa758p-7f);
}

// Scaled in two steps, so that subnormal results and the last before infinity come out.
OW_POINTWISE V far_exp(V x) {
  const ExpParts parts(hn::Min(constant(89.0f), hn::Max(constant(-104.0f), x)), kRounder);
  const I di;
  const auto exponent = hn::ConvertTo(di, parts.n);
  const auto half = hn::ShiftRight<1>(exponent);
  const auto power = [&](auto k) HWY_ATTR {
    return hn::BitCast(D(), hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  const V p = exp_of_rest(parts.r, 1.0f);
  return hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(exponent, half)));
}

// Near zero the low bits of the sum are k + 126, the exponent of 2^(k - 1). (With 127, which is
// odd, ties would be rounded otherwise than far from zero.)
OW_POINTWISE V exp(V x) {
  const ExpParts parts(x, kRounder + 126);
  if (!hn::AllTrue(D(), hn::Lt(hn::Abs(x), constant(86.0f)))) [[unlikely]]
    return far_exp(x);
  const auto power = hn::ShiftLeft<23>(hn::BitCast(I(), parts.z));
  return hn::Mul(exp_of_rest(parts.r, 2.0f), hn::BitCast(D(), power));
}

#endif

// e^x / (1 + e^x), where small results keep their digits. From 30 on it is 1.
OW_POINTWISE V sigmoid(V x) {
  const V e = exp(hn::Min(constant(30.0f), x));
  return quotient(e, hn::Add(constant(1.0f), e));
}

// Rounding may carry a quotient past 1, where 1 - |y| would change its sign.
OW_POINTWISE V at_most_one(V y) { return clamp(y, 1.0f); }

#if HWY_TARGET == HWY_AVX3

// The upper bits of |x| + 0.625 choose one of 32 intervals and its polynomial around a centre,
// where tanh is a float almost exactly. tanh_table.py prints the table: centres, then coefficients.
alignas(64) inline constexpr float kTanh[6][32] = {
    {0x1.81bdbap+0f, 0x1.c13a68p+0f, 0x1.00a8e4p+1f, 0x1.21307ap+1f, 0x1.4048b6p+1f, 0x1.5f7744p+1f,
     0x1.7f4676p+1f, 0x1.a05aeap+1f, 0x1.d04db4p+1f, 0x1.06724p+2f,  0x1.26b8eep+2f, 0x1.48f0c4p+2f,
     0x1.673c46p+2f, 0x1.881caep+2f, 0x1.a6f84p+2f,  0x1.c79ab8p+2f, 0x1.f70406p+2f, 0x1.1a6666p+3f,
     0x0p+0f,        0x1.7f763ep-4f, 0x1.4153b8p-3f, 0x1.c2a932p-3f, 0x1.201c7cp-2f, 0x1.6146d2p-2f,
     0x1.c4218ap-2f, 0x1.1f9f5p-1f,  0x1.5e60e4p-1f, 0x1.9cf914p-1f, 0x1.e14c36p-1f, 0x1.0f1bf8p+0f,
     0x1.315416p+0f, 0x1.4fde5ap+0f},
    {0x1.d00fb2p-1f, 0x1.e24338p-1f, 0x1.edc484p-1f, 0x1.f4f44cp-1f, 0x1.f92d3ap-1f, 0x1.fbcc22p-1f,
     0x1.fd7074p-1f, 0x1.fe78a6p-1f, 0x1.ff46d8p-1f, 0x1.ffb82p-1f,  0x1.ffe5c8p-1f, 0x1.fff7p-1f,
     0x1.fffc82p-1f, 0x1.fffecp-1f,  0x1.ffff86p-1f, 0x1.ffffd4p-1f, 0x1.fffff6p-1f, 0x1.fffffep-1f,
     0x0p+0f,        0x1.7e5874p-4f, 0x1.3eb74ep-3f, 0x1.bb8672p-3f, 0x1.18bdf2p-2f, 0x1.53e5b4p-2f,
     0x1.a8df9p-2f,  0x1.04c0dap-1f, 0x1.304be6p-1f, 0x1.55dd4p-1f,  0x1.787122p-1f, 0x1.92115cp-1f,
     0x1.a9aeb6p-1f, 0x1.bac414p-1f},
    {0x1.6d8e4ep-3f,  0x1.cdfaf4p-4f,  0x1.1e85b2p-4f,  0x1.5da5d6p-5f,  0x1.b1c7aap-6f,
     0x1.0bdc4ep-6f,  0x1.46f364p-7f,  0x1.86c376p-8f,  0x1.71fdcep-9f,  0x1.1f6104p-10f,
     0x1.a364e8p-12f, 0x1.1ff19p-13f,  0x1.beec4p-15f,  0x1.3ff226p-16f, 0x1.e7ec3ap-18f,
     0x1.5ff14ap-19f, 0x1.3f2844p-21f, 0x1.3ec2e8p-24f, 0x1p+0f,         0x1.fb89e6p-1f,
     0x1.f399ap-1f,   0x1.e7fcaap-1f,  0x1.d983fep-1f,  0x1.c796bap-1f,  0x1.a7db58p-1f,
     0x1.7b33ep-1f,   0x1.4b25dep-1f,  0x1.1bbc74p-1f,  0x1.d6738ap-2f,  0x1.888586p-2f,
     0x1.3c2a78p-2f,  0x1.02365ap-2f},
    {-0x1.4b54dap-3f,  -0x1.b325a4p-4f,  -0x1.145106p-4f,  -0x1.561828p-5f,  -0x1.abff46p-6f,
     -0x1.09ab1ap-6f,  -0x1.45537ap-7f,  -0x1.8597ecp-8f,  -0x1.717b9cp-9f,  -0x1.1f623ap-10f,
     -0x1.a383a6p-12f, -0x1.1fdb92p-13f, -0x1.bf0f1cp-15f, -0x1.3ff584p-16f, -0x1.e81ee4p-18f,
     -0x1.60041ep-19f, -0x1.400654p-21f, 0x1.622bd4p-23f,  0x1.97cf1cp-18f,  -0x1.7b034p-4f,
     -0x1.36ff18p-3f,  -0x1.a6b90ep-3f,  -0x1.03a3d4p-2f,  -0x1.2e72a8p-2f,  -0x1.5fbabp-2f,
     -0x1.823e3ep-2f,  -0x1.899ea6p-2f,  -0x1.7ae65p-2f,   -0x1.59e52ap-2f,  -0x1.343ddp-2f,
     -0x1.06dd7cp-2f,  -0x1.be9798p-3f},
    {0x1.64b658p-4f,  0x1.002cep-4f,   0x1.56b34ap-5f,  0x1.b5931cp-6f,  0x1.169d62p-6f,
     0x1.5d9c1cp-7f,  0x1.aef81ep-8f,  0x1.03274ep-8f,  0x1.f2e816p-10f, 0x1.842a8p-11f,
     0x1.1ba554p-12f, 0x1.85d9c2p-14f, 0x1.2e90d2p-15f, 0x1.b15d08p-17f, 0x1.4a479cp-18f,
     0x1.dca9a4p-20f, 0x1.c5a7e2p-22f, 0x1.5133dap-23f, -0x1.55ee5cp-2f, -0x1.495c48p-2f,
     -0x1.34bc2cp-2f, -0x1.177286p-2f, -0x1.e8d6fep-3f, -0x1.96971cp-3f, -0x1.115602p-3f,
     -0x1.c27dbap-5f, 0x1.9be47cp-7f,  0x1.fc4eep-5f,   0x1.84f184p-4f,  0x1.bc19cap-4f,
     0x1.c42982p-4f,  0x1.abd7f6p-4f},
    {-0x1.96b60ap-6f,  -0x1.8060bap-6f,  -0x1.24d05p-6f,   -0x1.932d88p-7f,  -0x1.08074ap-7f,
     -0x1.4f8afcp-8f,  -0x1.a232fap-9f,  -0x1.00e4a8p-9f,  -0x1.efee18p-11f, -0x1.734a7p-12f,
     -0x1.118b34p-13f, -0x1.8d9dccp-15f, -0x1.27b45cp-16f, -0x1.b0da8ap-18f, -0x1.40c294p-19f,
     -0x1.d63ecep-21f, -0x1.b412bp-23f,  -0x1.bdbef4p-21f, 0x1.06a5dp-6f,    0x1.ef902ep-5f,
     0x1.8d517p-4f,    0x1.04a91ap-3f,   0x1.32c7dcp-3f,   0x1.5009f2p-3f,   0x1.5b705ap-3f,
     0x1.3a1a0cp-3f,   0x1.ea5ca2p-4f,   0x1.48f1dap-4f,   0x1.626c1ap-5f,   0x1.df3fep-7f,
     -0x1.74132ep-8f,  -0x1.2139f2p-6f},
};

OW_POINTWISE V tanh(V x) {
  const V y = hn::Min(constant(9.3f), hn::Abs(x));  // from 9.02 on, tanh is 1 to the last digit
  const V shifted = hn::Add(y, constant(0.625f));
  const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(shifted.raw), 20);
  const auto column = [&](int i) HWY_ATTR {
    const V low = hn::Load(D(), kTanh[i]);
    const V high = hn::Load(D(), kTanh[i] + 16);
    return V{_mm512_permutex2var_ps(low.raw, index, high.raw)};
  };
  const V d = hn::Sub(y, column(0));
  V p = hn::MulAdd(column(5), d, column(4));
  p = hn::MulAdd(p, d, column(3));
  p = hn::MulAdd(p, d, column(2));
  p = hn::MulAdd(p, d, column(1));
  return hn::CopySign(p, x);
}

#else

// A quotient of polynomials in x² times x; from 9.01 on, tanh is 1 to the last digit.
OW_POINTWISE V tanh(V x) {
  const V y = clamp(x, 9.02f);
  const V t = hn::Mul(y, y);
  const V p = polynomial(t, 1.0f, 0x1.12044p-3f, 0x1.c9f85ep-9f, 0x1.595564p-16f, 0x1.c9a368p-27f);
  const V q = polynomial(t, 1.0f, 0x1.de576ap-2f, 0x1.a7df26p-6f, 0x1.5841dcp-12f, 0x1.a0b86ap-21f);
  return at_most_one(quotient(hn::Mul(y, p), q));
}

#endif

// Likewise; from 3.92 on, erf is 1 to the last digit.
OW_POINTWISE V erf(V x) {
  const V y = clamp(x, 4.0f);
  const V t = hn::Mul(y, y);
  const V p = polynomial(t, 0x1.20dd74p+0f, 0x1.86b988p-3f, 0x1.b074ap-5f, 0x1.ef6808p-9f,
                         0x1.2aa308p-12f, 0x1.1218bp-19f);
  const V q = polynomial(t, 1.0f, 0x1.013be2p-1f, 0x1.d3ff78p-4f, 0x1.eb6f44p-7f, 0x1.3173cep-10f,
                         0x1.3ecd4ap-15f);
  return hn::CopySign(at_most_one(quotient(hn::Mul(y, p), q)), x);  // of -0, too
}

// --- sine and cosine ----------------------------------------------------------------------------
// sin(r + kπ) is ±sin r, and cos(r + (k - 1/2)π) too: one polynomial for |r| <= π/2.

constexpr float kSmallAngle = 40000.0f;  // up to here k π in three parts is exact enough

OW_POINTWISE bool all_small(V x) {
  return hn::AllTrue(D(), hn::Lt(hn::Abs(x), constant(kSmallAngle)));
}

// ±sin(x - k π); the sign is that of bit 0 of `parity`. The parts of π are all positive: less zero
// times each, -0 stays what it is.
OW_POINTWISE V sin_reduced(V x, V k, V parity) {
  V r = hn::NegMulAdd(k, constant(0x1.921fb4p+1f), x);
  r = hn::NegMulAdd(k, constant(0x1.4442dp-23f), r);
  r = hn::NegMulAdd(k, constant(0x1.84698ap-47f), r);
  const V t = hn::Mul(r, r);
  const V p = polynomial(t, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70eap-13f, 0x1.5dc84ap-19f);
  const V sine = hn::CopySign(hn::MulAdd(hn::Mul(r, t), p, r), r);
  const auto sign = hn::ShiftLeft<31>(hn::BitCast(I(), parity));
  return hn::Xor(sine, hn::BitCast(D(), sign));
}

OW_POINTWISE V sin(V x) {
  if (!all_small(x)) [[unlikely]]
    return sleef::sin(x);
  const V rounded = hn::MulAdd(x, constant(0x1.45f306p-2f), constant(kRounder));
  return sin_reduced(x, hn::Sub(rounded, constant(kRounder)), rounded);
}

OW_POINTWISE V cos(V x) {
  if (!all_small(x)) [[unlikely]]
    return sleef::cos(x);
  const V turns = hn::MulAdd(x, constant(0x1.45f306p-2f), constant(0.5f));
  const V rounded = hn::Add(turns, constant(kRounder));
  const V k = hn::Sub(hn::Sub(rounded, constant(kRounder)), constant(0.5f));
  return sin_reduced(x, k, rounded);
}

#else  // no fused multiply-add

OW_POINTWISE V exp(V x) { return sleef::exp(x); }
OW_POINTWISE V tanh(V x) { return sleef::tanh(x); }
OW_POINTWISE V erf(V x) { return sleef::erf(x); }
OW_POINTWISE V sin(V x) { return sleef::sin(x); }
OW_POINTWISE V cos(V x) { return sleef::cos(x); }
OW_POINTWISE V sigmoid(V x) {
  const V e = sleef::exp(hn::Min(hn::Set(D(), 30.0f), x));
  return hn::Div(e, hn::Add(hn::Set(D(), 1.0f), e));
}

#endif

#if HWY_TARGET == HWY_AVX3

// x = 2^e m with m in [1, 2). The upper four bits of m choose c near 1 / m and t = -log c:
// log x = e log 2 + t + log(m c). c is chosen so that t is a float almost exactly, also after
// log 2 is taken from it; near 1, from both sides, c is a power of two and the sum is exact.
OW_POINTWISE V log(V x) {
  alignas(64) static constexpr float kReciprocals[16] = {
      0x1p+0f,        0x1.d3ac8ap-1f, 0x1.ba6b1ap-1f, 0x1.a4743ap-1f,
      0x1.8ff0f8p-1f, 0x1.7c91dcp-1f, 0x1.6c7c22p-1f, 0x1.5c5efap-1f,
      0x1.4e2b1ap-1f, 0x1.411e42p-1f, 0x1.34bd3p-1f,  0x1.29e50ap-1f,
      0x1.1f313p-1f,  0x1.153c1ep-1f, 0x1.0cd9c4p-1f, 0x1p-1f};
  alignas(64) static constexpr float kLogs[16] = {
      0.0f,           0x1.72e7e8p-4f, 0x1.2b260cp-3f, 0x1.936f3ep-3f,
      0x1.f9debep-3f, 0x1.2fc65cp-2f, 0x1.5bfee4p-2f, 0x1.8a4c48p-2f,
      0x1.b4eb84p-2f, 0x1.ddb634p-2f, 0x1.02fbeep-1f, 0x1.154a94p-1f,
      0x1.28065p-1f,  0x1.3a1764p-1f, 0x1.49d078p-1f, 0x1.62e43p-1f};
  const V e{_mm512_getexp_ps(x.raw)};
  const V m{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan)};
  const auto index = hn::ShiftRight<19>(hn::BitCast(I(), m));
  const V c{_mm512_permutexvar_ps(index.raw, hn::Load(D(), kReciprocals).raw)};
  const V t{_mm512_permutexvar_ps(index.raw, hn::Load(D(), kLogs).raw)};
  const V r = hn::MulSub(m, c, constant(1.0f));
  const V p = polynomial(r, -0.5f, 0x1.555854p-2f, -0x1.001842p-2f, 0x1.82c888p-3f);
  const V base = hn::MulAdd(e, constant(0x1.62e43p-1f), t);
  return hn::Add(base, hn::MulAdd(hn::Mul(r, r), p, r));
}

#elif HWY_NATIVE_FMA

// x = 2^k (1 + f) with 1 + f from the root of 1/2 to that of 2: log x = k log 2 + f + f^2 p(f),
// where the multiple of log 2 has no rounding in its upper part.
OW_POINTWISE V log(V x) {
  const D d;
  const I di;
  const V least = constant(0x1p-126f), largest = constant(0x1.fffffep127f);
  if (!hn::AllTrue(d, hn::And(hn::Ge(x, least), hn::Le(x, largest)))) [[unlikely]]
    return sleef::log(x);
  const auto bits = hn::BitCast(di, x);
  const auto k = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V e = hn::ConvertTo(d, k);
  const V f = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(k))), constant(1.0f));
  const V p =
      polynomial(f, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.00043ep-2f, 0x1.99a476p-3f,
                 -0x1.5422f4p-3f, 0x1.226438p-3f, -0x1.0f5104p-3f, 0x1.08ae8p-3f, -0x1.38af1cp-4f);
  const V small = hn::MulAdd(e, constant(0x1.0bfbe8p-15f), hn::Mul(hn::Mul(f, f), p));
  return hn::MulAdd(e, constant(0x1.62ep-1f), hn::Add(f, small));
}

#else

OW_POINTWISE V log(V x) { return sleef::log(x); }

#endif

}  // namespace fast
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
