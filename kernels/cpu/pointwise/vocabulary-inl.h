// m: the vocabulary of pointwise expressions on the CPU. Every function takes vectors of the
// target's lanes or plain C++ values (integers and bool); truths are masks of lanes or bool.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_VOCABULARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_VOCABULARY_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_VOCABULARY_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_VOCABULARY_INL_H_
#endif

#include <concepts>
#include <cstdint>

#include "kernels/cpu/pointwise/float_math-inl.h"
#include "kernels/cpu/pointwise/integer_math.h"
#include "kernels/cpu/pointwise/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace m {

// Stands for a vector tag where elements are plain values of type T.
template <class T>
struct ScalarTag {};

template <class V>
concept Plain = std::integral<V> || Complex<V>;  // bool too
template <class V>
concept Vector = !Plain<V> && requires(V v) {
  hn::MaskFromVec(v);
};
template <class M>
concept LaneMask = !Plain<M> && !Vector<M>;

// --- leaves and conversions ---------------------------------------------------------------------
template <class T>
OW_POINTWISE T lit(ScalarTag<T>, double value) {
  return plain::literal<T>(value);
}
template <class D>
OW_POINTWISE hn::Vec<D> lit(D d, double value) {
  return hn::Set(d, plain::literal<hn::TFromD<D>>(value));
}
template <class T>
OW_POINTWISE T to_value(ScalarTag<T>, bool truth) {
  return static_cast<T>(truth);
}
template <class D>
OW_POINTWISE hn::Vec<D> to_value(D d, hn::Mask<D> truth) {
  return hn::IfThenElseZero(truth, hn::Set(d, 1));
}

// --- an operation on vectors by Highway's name, and on plain values by an expression
#define OW_UNARY(name, highway, plain_value)     \
  template <Vector V>                            \
  OW_POINTWISE auto name(V a) {                  \
    return highway(a);                           \
  }                                              \
  template <Plain V>                             \
  OW_POINTWISE auto name([[maybe_unused]] V a) { \
    return plain_value;                          \
  }
#define OW_BINARY(name, highway, plain_value) \
  template <Vector V>                         \
  OW_POINTWISE auto name(V a, V b) {          \
    return highway(a, b);                     \
  }                                           \
  template <Plain V>                          \
  OW_POINTWISE auto name(V a, V b) {          \
    return plain_value;                       \
  }

template <LaneMask M>
OW_POINTWISE M to_boolean(M a) {  // a tensor that is read as a truth arrives as a mask
  return a;
}
OW_UNARY(to_boolean, floating::is_nonzero, a != V{0})
OW_UNARY(neg, hn::Neg, plain::neg(a))
OW_UNARY(abs, hn::Abs, plain::abs(a))
OW_UNARY(sign, floating::sign, plain::sign(a))
OW_UNARY(square, floating::square, plain::mul(a, a))
OW_UNARY(relu, floating::relu, a > V{0} ? a : V{0})
template <class V>
OW_POINTWISE V conj(V a) {
  if constexpr (Complex<V>) {
    return V(a.real(), -a.imag());
  } else {
    return a;
  }
}
OW_UNARY(floor, hn::Floor, a)
OW_UNARY(ceil, hn::Ceil, a)
OW_UNARY(round, hn::Round, a)
OW_UNARY(trunc, hn::Trunc, a)
OW_UNARY(isnan, hn::IsNaN, false)
OW_UNARY(isinf, hn::IsInf, false)
OW_UNARY(isfinite, hn::IsFinite, true)

OW_BINARY(add, hn::Add, plain::add(a, b))
OW_BINARY(sub, hn::Sub, plain::sub(a, b))
OW_BINARY(mul, hn::Mul, plain::mul(a, b))
OW_BINARY(remainder, floating::remainder, plain::remainder(a, b))
OW_BINARY(fmod, floating::fmod, plain::fmod(a, b))
OW_BINARY(floor_div, floating::floor_div, plain::floor_div(a, b))
OW_BINARY(trunc_div, floating::trunc_div, plain::trunc_div(a, b))
OW_BINARY(pow, floating::pow, plain::pow(a, b))
OW_BINARY(max, floating::max, a > b ? a : b)
OW_BINARY(min, floating::min, a < b ? a : b)
OW_BINARY(lt, hn::Lt, a < b)
OW_BINARY(le, hn::Le, a <= b)
OW_BINARY(gt, hn::Gt, a > b)
OW_BINARY(ge, hn::Ge, a >= b)

// Truths compare too: as masks of lanes they do not go by value.
template <Vector V>
OW_POINTWISE auto eq(V a, V b) {
  return hn::Eq(a, b);
}
template <Vector V>
OW_POINTWISE auto ne(V a, V b) {
  return floating::differ(a, b);
}
template <Plain V>
OW_POINTWISE bool eq(V a, V b) {
  return a == b;
}
template <Plain V>
OW_POINTWISE bool ne(V a, V b) {
  return a != b;
}

#undef OW_UNARY
#undef OW_BINARY

// --- of floats only -----------------------------------------------------------------------------
#define OW_FLOAT_UNARY(name)  \
  template <Vector V>         \
  OW_POINTWISE V name(V a) {  \
    return floating::name(a); \
  }
OW_FLOAT_UNARY(exp)
OW_FLOAT_UNARY(exp2)
OW_FLOAT_UNARY(expm1)
OW_FLOAT_UNARY(log)
OW_FLOAT_UNARY(log2)
OW_FLOAT_UNARY(log10)
OW_FLOAT_UNARY(log1p)
OW_FLOAT_UNARY(sqrt)
OW_FLOAT_UNARY(rsqrt)
OW_FLOAT_UNARY(reciprocal)
OW_FLOAT_UNARY(sin)
OW_FLOAT_UNARY(cos)
OW_FLOAT_UNARY(tan)
OW_FLOAT_UNARY(asin)
OW_FLOAT_UNARY(acos)
OW_FLOAT_UNARY(atan)
OW_FLOAT_UNARY(sinh)
OW_FLOAT_UNARY(cosh)
OW_FLOAT_UNARY(tanh)
OW_FLOAT_UNARY(asinh)
OW_FLOAT_UNARY(acosh)
OW_FLOAT_UNARY(atanh)
OW_FLOAT_UNARY(erf)
OW_FLOAT_UNARY(erfc)
OW_FLOAT_UNARY(erfinv)
OW_FLOAT_UNARY(lgamma)
OW_FLOAT_UNARY(digamma)
OW_FLOAT_UNARY(trigamma)
OW_FLOAT_UNARY(i0)
OW_FLOAT_UNARY(i1)
OW_FLOAT_UNARY(i0e)
OW_FLOAT_UNARY(i1e)
OW_FLOAT_UNARY(sigmoid)
#undef OW_FLOAT_UNARY

template <Vector V>
OW_POINTWISE V div(V a, V b) {
  return hn::Div(a, b);
}
template <Vector V>
OW_POINTWISE V atan2(V a, V b) {
  return floating::atan2(a, b);
}
template <Vector V>
OW_POINTWISE V hypot(V a, V b) {
  return floating::hypot(a, b);
}
template <Vector V>
OW_POINTWISE V polygamma(V n, V a) {
  return floating::polygamma(n, a);
}
template <Vector V>
OW_POINTWISE V copysign(V a, V b) {
  return hn::CopySign(a, b);
}

// --- bits, of plain values only -----------------------------------------------------------------
template <Plain V>
OW_POINTWISE V bitwise_and(V a, V b) {
  return static_cast<V>(a & b);
}
template <Plain V>
OW_POINTWISE V bitwise_or(V a, V b) {
  return static_cast<V>(a | b);
}
template <Plain V>
OW_POINTWISE V bitwise_xor(V a, V b) {
  return static_cast<V>(a ^ b);
}
template <Plain V>
OW_POINTWISE V bitwise_not(V a) {
  return plain::bitwise_not(a);
}
template <Plain V>
OW_POINTWISE V gcd(V a, V b) {
  return plain::gcd(a, b);
}
template <Plain V>
OW_POINTWISE V shift_left(V a, V b) {
  return plain::shift_left(a, b);
}
template <Plain V>
OW_POINTWISE V shift_right(V a, V b) {
  return plain::shift_right(a, b);
}

// --- truths -------------------------------------------------------------------------------------
template <LaneMask M>
OW_POINTWISE M logical_and(M a, M b) {
  return hn::And(a, b);
}
template <LaneMask M>
OW_POINTWISE M logical_or(M a, M b) {
  return hn::Or(a, b);
}
template <LaneMask M>
OW_POINTWISE M logical_not(M a) {
  return hn::Not(a);
}
OW_POINTWISE bool logical_and(bool a, bool b) { return a && b; }
OW_POINTWISE bool logical_or(bool a, bool b) { return a || b; }
OW_POINTWISE bool logical_not(bool a) { return !a; }

template <LaneMask M, Vector V>
OW_POINTWISE V select(M condition, V a, V b) {
  return hn::IfThenElse(condition, a, b);
}
template <LaneMask M>
OW_POINTWISE M select(M condition, M a, M b) {
  return hn::Or(hn::And(condition, a), hn::AndNot(condition, b));
}
template <Plain V>
OW_POINTWISE V select(bool condition, V a, V b) {
  return condition ? a : b;
}

}  // namespace m
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
