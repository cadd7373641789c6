// Functions on vectors of floats and doubles that Highway has not, for all inputs.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_FLOAT_MATH_INL_H_
#endif

#include "kernels/cpu/pointwise/lanes-inl.h"
#include "kernels/cpu/pointwise/sleef-inl.h"
#include "kernels/cpu/pointwise/special_functions.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace floating {

using sleef::acos;
using sleef::acosh;
using sleef::asin;
using sleef::asinh;
using sleef::atan;
using sleef::atan2;
using sleef::atanh;
using sleef::cos;
using sleef::cosh;
using sleef::erf;
using sleef::erfc;
using sleef::exp;
using sleef::exp2;
using sleef::expm1;
using sleef::fmod;
using sleef::hypot;
using sleef::lgamma;
using sleef::log;
using sleef::log10;
using sleef::log1p;
using sleef::log2;
using sleef::sin;
using sleef::sinh;
using sleef::tan;
using sleef::tanh;

template <class V>
OW_POINTWISE V zero() {
  return hn::Zero(hn::DFromV<V>());
}
template <class V>
OW_POINTWISE V constant(double value) {
  return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(value));
}

template <class V>
OW_POINTWISE auto is_nonzero(V a) {
  return hn::Ne(a, zero<V>());
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

template <class V>
OW_POINTWISE V sigmoid(V a) {
  const V one = constant<V>(1);
  return hn::Div(one, hn::Add(one, exp(hn::Neg(a))));
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
OW_POINTWISE V erfinv(V a) {
  return lane_by_lane(a, &cpu::erfinv);
}
template <class V>
OW_POINTWISE V digamma(V a) {
  return lane_by_lane(a, &cpu::digamma);
}

// --- division with a rest -----------------------------------------------------------------------
template <class V>
OW_POINTWISE auto signs_differ(V a, V b) {
  const auto negative = [](V v) HWY_ATTR { return hn::Lt(v, zero<V>()); };
  return hn::Xor(negative(a), negative(b));
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
  const V signed_result = hn::IfThenElse(is_nonzero(lowered), result, hn::CopySign(zero<V>(), quotient));
  return hn::IfThenElse(hn::Eq(b, zero<V>()), quotient, signed_result);
}

// Exponents that are the same in all lanes are mostly small constants.
template <class V>
OW_POINTWISE V pow(V a, V b) {
  const hn::DFromV<V> d;
  const auto all = [&](double value) HWY_ATTR {
    return hn::AllTrue(d, hn::Eq(b, constant<V>(value)));
  };
  if (all(2)) return hn::Mul(a, a);
  if (all(3)) return hn::Mul(hn::Mul(a, a), a);
  if (all(0.5)) return hn::Sqrt(a);
  if (all(1)) return a;
  if (all(-1)) return reciprocal(a);
  return sleef::pow(a, b);
}

}  // namespace floating
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
