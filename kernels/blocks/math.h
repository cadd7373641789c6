// m: the vocabulary of expressions in block programs, on plain values of floats and on bool. This
// is OpenCL's, whose functions are overloaded for float and double; a target with a vocabulary of
// its own includes that, as opweave::blocks::m, before anything of this folder
// (kernels/cuda/pointwise/blocks.cuh).
#pragma once

#include "kernels/blocks/numbers.h"
#include "kernels/blocks/special_math.h"

#ifdef __OPENCL_CPP_VERSION__

namespace opweave::blocks::m {

template <class T>
struct Tag {
  using type = T;
};

// --- constants and conversions -------------------------------------------------------------------
template <class T, class V>
OW_BLOCK auto lit(Tag<T>, V value) {
  if constexpr (is_same<V, bool>)
    return value;
  else
    return static_cast<T>(value);
}
template <class T>
OW_BLOCK T to_value(Tag<T>, bool value) {
  return static_cast<T>(value);
}
template <class T>
OW_BLOCK bool to_boolean(T value) {
  return value != T(0);
}

// --- arithmetic ----------------------------------------------------------------------------------
#define OW_UNARY(name, value) \
  template <class T>          \
  OW_BLOCK T name(T x) {      \
    return value;             \
  }
#define OW_BINARY(name, value) \
  template <class T>           \
  OW_BLOCK T name(T a, T b) {  \
    return value;              \
  }
OW_BINARY(add, a + b)
OW_BINARY(sub, a - b)
OW_BINARY(mul, a* b)
OW_BINARY(div, a / b)
OW_UNARY(neg, -x)
OW_BINARY(trunc_div, ::trunc(a / b))
OW_BINARY(fmod, ::fmod(a, b))
template <class T>
OW_BLOCK T remainder(T a, T b) {
  const T r = ::fmod(a, b);
  return r != T(0) && (r < T(0)) != (b < T(0)) ? r + b : r;
}
// Python's a // b, from the exact rest: a / b, rounded, would reach the next integer.
template <class T>
OW_BLOCK T floor_div(T a, T b) {
  if (b == T(0)) return a / b;
  const T rest = ::fmod(a, b);
  const bool below = rest != T(0) && (rest < T(0)) != (b < T(0));
  const T exact = (a - rest) / b - (below ? T(1) : T(0));
  if (exact == T(0)) return ::copysign(T(0), a / b);
  const T floored = ::floor(exact);
  return exact - floored > T(0.5f) ? floored + T(1) : floored;
}

// --- comparison, logic, choice -------------------------------------------------------------------
#define OW_TEST(name, value)     \
  template <class T>             \
  OW_BLOCK bool name(T a, T b) { \
    return value;                \
  }
OW_TEST(lt, a < b)
OW_TEST(le, a <= b)
OW_TEST(gt, a > b)
OW_TEST(ge, a >= b)
OW_TEST(eq, a == b)
OW_TEST(ne, a != b)
#undef OW_TEST
OW_BLOCK bool logical_and(bool a, bool b) { return a && b; }
OW_BLOCK bool logical_or(bool a, bool b) { return a || b; }
OW_BLOCK bool logical_not(bool a) { return !a; }
template <class T>
OW_BLOCK T select(bool c, T a, T b) {
  return c ? a : b;
}
template <class T>
OW_BLOCK bool isnan(T a) {
  return a != a;
}
template <class T>
OW_BLOCK bool isinf(T a) {
  return ::isinf(a) != 0;
}
template <class T>
OW_BLOCK bool isfinite(T a) {
  return ::isfinite(a) != 0;
}
// NaN wins.
OW_BINARY(max, a != a ? a : b != b ? b : a < b ? b : a)
OW_BINARY(min, a != a ? a : b != b ? b : b < a ? b : a)

// --- functions -----------------------------------------------------------------------------------
OW_UNARY(exp, ::exp(x))
OW_UNARY(exp2, ::exp2(x))
OW_UNARY(expm1, ::expm1(x))
OW_UNARY(log, ::log(x))
OW_UNARY(log2, ::log2(x))
OW_UNARY(log10, ::log10(x))
OW_UNARY(log1p, ::log1p(x))
OW_UNARY(sqrt, ::sqrt(x))
OW_UNARY(rsqrt, ::rsqrt(x))
OW_UNARY(sin, ::sin(x))
OW_UNARY(cos, ::cos(x))
OW_UNARY(tan, ::tan(x))
OW_UNARY(asin, ::asin(x))
OW_UNARY(acos, ::acos(x))
OW_UNARY(atan, ::atan(x))
OW_UNARY(sinh, ::sinh(x))
OW_UNARY(cosh, ::cosh(x))
OW_UNARY(tanh, ::tanh(x))
OW_UNARY(asinh, ::asinh(x))
OW_UNARY(acosh, ::acosh(x))
OW_UNARY(atanh, ::atanh(x))
OW_UNARY(erf, ::erf(x))
OW_UNARY(erfc, ::erfc(x))
OW_UNARY(lgamma, ::lgamma(x))
OW_UNARY(sigmoid, T(1) / (T(1) + ::exp(-x)))
OW_UNARY(reciprocal, T(1) / x)
OW_UNARY(square, x* x)
OW_UNARY(relu, x < T(0) ? T(0) : x)
OW_UNARY(conj, x)
OW_UNARY(floor, ::floor(x))
OW_UNARY(ceil, ::ceil(x))
OW_UNARY(round, ::rint(x))
OW_UNARY(trunc, ::trunc(x))
OW_UNARY(abs, ::fabs(x))
OW_UNARY(sign, static_cast<T>((T(0) < x) - (x < T(0))))  // 0 for NaN
OW_BINARY(pow, ::pow(a, b))
OW_BINARY(atan2, ::atan2(a, b))
OW_BINARY(hypot, ::hypot(a, b))
OW_BINARY(copysign, ::copysign(a, b))
#undef OW_UNARY
#undef OW_BINARY

}  // namespace opweave::blocks::m

#endif
