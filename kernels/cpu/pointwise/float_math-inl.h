// Functions on vectors of floats and doubles that Highway has not, for all inputs.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#endif

#include <cmath>
#include <limits>

#include "kernels/cpu/pointwise/approximations-inl.h"
#include "kernels/cpu/pointwise/fast_math-inl.h"
#include "kernels/cpu/pointwise/lanes-inl.h"
#include "kernels/cpu/pointwise/sleef-inl.h"
#include "kernels/cpu/pointwise/special_functions.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace floating {

using sleef::acos;
using sleef::asin;
using sleef::atan;
using sleef::atan2;
using sleef::atanh;
using sleef::erfc;
using sleef::exp2;
using sleef::expm1;
using sleef::hypot;
using sleef::log10;
using sleef::log2;
using sleef::tan;

using fast::cos;
using fast::erf;
using fast::exp;
using fast::log;
using fast::sigmoid;
using fast::sin;
using fast::tanh;

// Doubles.
OW_POINTWISE sleef::Doubles cos(sleef::Doubles a) { return sleef::cos(a); }
OW_POINTWISE sleef::Doubles erf(sleef::Doubles a) { return sleef::erf(a); }
// SLEEF's is infinite from 709.782711 on, the double from 709.782713 on.
OW_POINTWISE sleef::Doubles exp(sleef::Doubles a) {
  const hn::ScalableTag<double> d;
  const sleef::Doubles near = sleef::exp(a);
  const sleef::Doubles limit = hn::Set(d, 709.0);
  if (hn::AllTrue(d, hn::Le(a, limit))) [[likely]]
    return near;
  const sleef::Doubles rest = sleef::exp(hn::Sub(a, hn::Set(d, 0.5)));
  const sleef::Doubles far = hn::Mul(rest, hn::Set(d, 1.6487212707001282));
  return hn::IfThenElse(hn::Gt(a, limit), far, near);
}
OW_POINTWISE sleef::Doubles log(sleef::Doubles a) { return sleef::log(a); }
OW_POINTWISE sleef::Doubles sin(sleef::Doubles a) { return sleef::sin(a); }
OW_POINTWISE sleef::Doubles tanh(sleef::Doubles a) { return sleef::tanh(a); }

template <class V>
OW_POINTWISE V zero() {
  return hn::Zero(hn::DFromV<V>());
}
template <class V>
OW_POINTWISE V constant(double value) {
  return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(value));
}

// NaN differs from everything. hn::Ne is false for it on AVX2 and AVX-512.
template <class V>
OW_POINTWISE auto differ(V a, V b) {
  return hn::Not(hn::Eq(a, b));
}
template <class V>
OW_POINTWISE auto is_nonzero(V a) {
  return differ(a, zero<V>());
}
template <class V>
OW_POINTWISE V square(V a) {
  return hn::Mul(a, a);
}
template <class V>
OW_POINTWISE V sqrt(V a) {
  return hn::Sqrt(a);
}
template <class V>
OW_POINTWISE V reciprocal(V a) {
  return hn::Div(constant<V>(1), a);
}
template <class V>
OW_POINTWISE V rsqrt(V a) {
  return reciprocal(hn::Sqrt(a));
}
// NaN and -0 stay what they are.
template <class V>
OW_POINTWISE V relu(V a) {
  return hn::IfThenZeroElse(hn::Lt(a, zero<V>()), a);
}
// 0 for NaN.
template <class V>
OW_POINTWISE V sign(V a) {
  const V one = constant<V>(1);
  const V positive = hn::IfThenElseZero(hn::Gt(a, zero<V>()), one);
  return hn::IfThenElse(hn::Lt(a, zero<V>()), hn::Neg(one), positive);
}
// NaN if either is. Highway's return the second operand when either is NaN.
template <class V>
OW_POINTWISE V max(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
}
template <class V>
OW_POINTWISE V min(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b));
}

// From 40 on it is 1; below, small results keep their digits.
OW_POINTWISE sleef::Doubles sigmoid(sleef::Doubles a) {
  const sleef::Doubles e = sleef::exp(hn::Min(constant<sleef::Doubles>(40), a));
  return hn::Div(e, hn::Add(constant<sleef::Doubles>(1), e));
}

// --- where SLEEF gives up early
template <class V>
OW_POINTWISE bool any_beyond(V a, double limit) {
  return !hn::AllTrue(hn::DFromV<V>(), hn::Le(hn::Abs(a), constant<V>(limit)));
}

// Squares overflow in SLEEF's; for large numbers both are log(2 |a|).
template <class V>
OW_POINTWISE V asinh(V a) {
  const V near = sleef::asinh(a);
  constexpr double kFar = 1e10;
  if (!any_beyond(a, kFar)) [[likely]]
    return near;
  const V size = hn::Abs(a);
  const V far = hn::CopySign(hn::Add(log(size), constant<V>(0.6931471805599453)), a);
  return hn::IfThenElse(hn::Gt(size, constant<V>(kFar)), far, near);
}
template <class V>
OW_POINTWISE V acosh(V a) {
  const V near = sleef::acosh(a);
  constexpr double kFar = 1e10;
  if (!any_beyond(a, kFar)) [[likely]]
    return near;
  const V far = hn::Add(log(a), constant<V>(0.6931471805599453));
  return hn::IfThenElse(hn::Gt(a, constant<V>(kFar)), far, near);
}

// e^|a| / 2 where e^|a| itself may overflow.
template <class V>
OW_POINTWISE V half_exp(V a) {
  const V root = exp(hn::Mul(hn::Abs(a), constant<V>(0.5)));
  return hn::Mul(hn::Mul(root, constant<V>(0.5)), root);
}
template <class V>
inline constexpr double kExpLimit = sizeof(hn::TFromV<V>) == 4 ? 88 : 709;

template <class V>
OW_POINTWISE V sinh(V a) {
  const V near = sleef::sinh(a);
  if (!any_beyond(a, kExpLimit<V>)) [[likely]]
    return near;
  const auto far = hn::Gt(hn::Abs(a), constant<V>(kExpLimit<V>));
  return hn::IfThenElse(far, hn::CopySign(half_exp(a), a), near);
}
template <class V>
OW_POINTWISE V cosh(V a) {
  const V near = sleef::cosh(a);
  if (!any_beyond(a, kExpLimit<V>)) [[likely]]
    return near;
  const auto far = hn::Gt(hn::Abs(a), constant<V>(kExpLimit<V>));
  return hn::IfThenElse(far, half_exp(a), near);
}

template <class V>
OW_POINTWISE V log1p(V a) {
  const V near = sleef::log1p(a);
  constexpr double kFar = 1e30;
  if (!any_beyond(a, kFar)) [[likely]]
    return near;
  return hn::IfThenElse(hn::Gt(a, constant<V>(kFar)), log(a), near);
}

// One lane at a time, in double.
template <class V>
OW_POINTWISE V lane_by_lane(V a, double (*function)(double)) {
  const hn::DFromV<V> d;
  using T = hn::TFromV<V>;
  HWY_ALIGN T lanes[HWY_LANES(T)];
  hn::Store(a, d, lanes);
  for (T& lane : lanes) lane = static_cast<T>(function(static_cast<double>(lane)));
  return hn::Load(d, lanes);
}
template <class V>
OW_POINTWISE V lane_by_lane(V a, V b, double (*function)(double, double)) {
  const hn::DFromV<V> d;
  using T = hn::TFromV<V>;
  HWY_ALIGN T lanes[HWY_LANES(T)], others[HWY_LANES(T)];
  hn::Store(a, d, lanes);
  hn::Store(b, d, others);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] =
        static_cast<T>(function(static_cast<double>(lanes[i]), static_cast<double>(others[i])));
  }
  return hn::Load(d, lanes);
}
template <class V>
OW_POINTWISE V erfinv(V a) {
  return approximation::erfinv(a, [](V x) HWY_ATTR { return log(x); });
}
template <class V>
OW_POINTWISE V digamma(V a) {
  return lane_by_lane(a, &cpu::digamma);
}

template <class V>
OW_POINTWISE V trigamma(V a) {
  return lane_by_lane(a, &cpu::trigamma);
}
template <class V>
OW_POINTWISE V i0(V a) {
  return lane_by_lane(a, &cpu::i0);
}
template <class V>
OW_POINTWISE V i1(V a) {
  if constexpr (sizeof(hn::TFromV<V>) == 4) {
    // In halves: the exponential has no place a little before the function has none, at 100.
    const V size = hn::Min(constant<V>(100), hn::Abs(a));
    const V half = exp(hn::Mul(size, constant<V>(0.5)));
    return hn::Mul(hn::Mul(approximation::scaled_bessel1(hn::CopySign(size, a)), half), half);
  } else {
    return lane_by_lane(a, &cpu::i1);
  }
}
template <class V>
OW_POINTWISE V i0e(V a) {
  return lane_by_lane(a, &cpu::i0e);
}
template <class V>
OW_POINTWISE V i1e(V a) {
  if constexpr (sizeof(hn::TFromV<V>) == 4) {
    return approximation::scaled_bessel1(a);
  } else {
    return lane_by_lane(a, &cpu::i1e);
  }
}
template <class V>
OW_POINTWISE V polygamma(V n, V a) {
  return lane_by_lane(n, a, &cpu::polygamma);
}

// SLEEF's loses digits near the zeros between the negative integers, and overflows early.
template <class V>
OW_POINTWISE V lgamma(V a) {
  const hn::DFromV<V> d;
  const auto fine = hn::And(hn::Ge(a, zero<V>()), hn::Le(a, constant<V>(1e30)));
  if (hn::AllTrue(d, fine)) [[likely]]
    return sleef::lgamma(a);
  return lane_by_lane(a, &cpu::lgamma);
}

// --- division with a rest -----------------------------------------------------------------------
template <class V>
OW_POINTWISE auto signs_differ(V a, V b) {
  const auto negative = [](V v) HWY_ATTR { return hn::Lt(v, zero<V>()); };
  return hn::Xor(negative(a), negative(b));
}

// SLEEF's has no special cases: NaN for an infinite a or b = 0, and a for an infinite b. Where a /
// b overflows it is NaN, too; the C library's is exact, in double for all dtypes.
template <class V>
OW_POINTWISE V fmod(V a, V b) {
  const hn::DFromV<V> d;
  V rest = hn::IfThenElse(hn::IsInf(b), a, sleef::fmod(a, b));
  const auto defined = hn::And(hn::IsFinite(a), hn::Gt(hn::Abs(b), zero<V>()));
  if (!hn::AllFalse(d, hn::And(defined, hn::IsNaN(rest)))) [[unlikely]]
    rest = hn::IfThenElse(hn::IsInf(b), a, lane_by_lane(a, b, &std::fmod));
  return hn::IfThenElse(defined, rest,
                        hn::Set(hn::DFromV<V>(), std::numeric_limits<hn::TFromV<V>>::quiet_NaN()));
}

// The rest has the sign of b, as in Python.
template <class V>
OW_POINTWISE V remainder(V a, V b) {
  const V rest = fmod(a, b);
  const auto wrong = hn::And(is_nonzero(rest), signs_differ(rest, b));
  return hn::IfThenElse(wrong, hn::Add(rest, b), rest);
}

template <class V>
OW_POINTWISE V trunc_div(V a, V b) {
  return hn::Trunc(hn::Div(a, b));
}

// Python's a // b: exact where a / b, rounded, would reach the next integer.
template <class V>
OW_POINTWISE V floor_div(V a, V b) {
  const V one = constant<V>(1);
  const V quotient = hn::Div(a, b);
  const V rest = fmod(a, b);
  const V exact = hn::Div(hn::Sub(a, rest), b);
  const auto below = hn::And(is_nonzero(rest), signs_differ(rest, b));
  const V lowered = hn::IfThenElse(below, hn::Sub(exact, one), exact);
  const V floored = hn::Floor(lowered);
  const auto rounds_up = hn::Gt(hn::Sub(lowered, floored), constant<V>(0.5));
  const V result = hn::IfThenElse(rounds_up, hn::Add(floored, one), floored);
  const V signed_result =
      hn::IfThenElse(is_nonzero(lowered), result, hn::CopySign(zero<V>(), quotient));
  return hn::IfThenElse(hn::Eq(b, zero<V>()), quotient, signed_result);
}

// Small powers, each exactly as a product or a root has it.
template <class V>
OW_POINTWISE V small_power(V a, double exponent) {
  if (exponent == 2) return hn::Mul(a, a);
  if (exponent == 3) return hn::Mul(hn::Mul(a, a), a);
  if (exponent == 1) return a;
  if (exponent == -1) return reciprocal(a);
  // The root, but of -0 it is 0, and of -infinity infinity.
  const V root = hn::Sqrt(hn::Add(a, zero<V>()));
  const auto infinite = hn::IsInf(a);
  return hn::IfThenElse(infinite, hn::Abs(a), root);
}

OW_POINTWISE sleef::Floats raised(sleef::Floats a, sleef::Floats b) { return sleef::pow(a, b); }
// SLEEF's is infinite from 1.79769e308 on, the double from 1.79769313e308 on: as a square.
OW_POINTWISE sleef::Doubles raised(sleef::Doubles a, sleef::Doubles b) {
  const hn::ScalableTag<double> d;
  const sleef::Doubles near = sleef::pow(a, b);
  if (hn::AllFalse(d, hn::IsInf(near))) [[likely]]
    return near;
  const sleef::Doubles size = hn::Abs(a);
  const sleef::Doubles root = sleef::pow(size, hn::Mul(b, hn::Set(d, 0.5)));
  const auto finite = hn::And(hn::IsFinite(a), hn::Gt(size, hn::Zero(d)));
  const auto doubtful = hn::And(hn::IsInf(near), finite);
  return hn::IfThenElse(doubtful, hn::CopySign(hn::Mul(root, root), near), near);
}

// Exponents are mostly the same for all elements, and small constants.
template <class V>
OW_POINTWISE V pow(V a, V b) {
  constexpr double kSmall[] = {2, 0.5, 3, -1, 1};
  for (double exponent : kSmall) {
    if (hn::AllTrue(hn::DFromV<V>(), hn::Eq(b, constant<V>(exponent)))) {
      return small_power(a, exponent);
    }
  }
  V result = raised(a, b);
  // Alike wherever an element stands: next to others with its exponent or not.
  for (double exponent : kSmall) {
    result = hn::IfThenElse(hn::Eq(b, constant<V>(exponent)), small_power(a, exponent), result);
  }
  return result;
}

}  // namespace floating
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
