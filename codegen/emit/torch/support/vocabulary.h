// The functions of pointwise expressions, for one element and for vectors of at::vec.
#pragma once

#include <ATen/cpu/vec/functional.h>
#include <ATen/cpu/vec/vec.h>
#include <ATen/native/Math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace opweave {

// What an expression is evaluated for: one element, or a vector of them.
template <class T>
struct One {
  using Value = T;
};
template <class T>
struct Lanes {
  using Value = at::vec::Vectorized<T>;
};

// Some of them are global in one PyTorch and in at::native in another.
namespace library {
using namespace at::native;  // NOLINT
template <class T>
T erfinv_of(T x) {
  return calc_erfinv(x);
}
template <class T>
T digamma_of(T x) {
  return calc_digamma(x);
}
template <class T>
T trigamma_of(T x) {
  return trigamma(x);
}
template <class T>
T i0_of(T x) {
  return calc_i0(x);
}
template <class T>
T i1_of(T x) {
  return calc_i1(x);
}
template <class T>
T i0e_of(T x) {
  return calc_i0e(x);
}
template <class T>
T i1e_of(T x) {
  return calc_i1e(x);
}
template <class T>
T polygamma_of(T n, T x) {
  return static_cast<T>(calc_polygamma(x, static_cast<int>(n)));
}
}  // namespace library

namespace m {

template <class T>
using Vector = at::vec::Vectorized<T>;
template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<Vector<T>> = true;
template <class T>
concept Vectors = kIsVector<T>;
template <class T>
concept Number = std::is_arithmetic_v<T>;
template <class T>
concept Real = std::is_floating_point_v<T>;
template <class T>
concept Whole = std::is_integral_v<T>;

// Masks are vectors whose lanes are all ones or all zeros.
// Whole numbers wrap, as parameters do.
template <class T>
T lit(One<T>, double x) {
  using Wide = std::conditional_t<Whole<T> && !std::is_same_v<T, bool>, int64_t, T>;
  return static_cast<T>(static_cast<Wide>(x));
}
template <class T>
bool lit(One<T>, bool x) {
  return x;
}
template <class T>
Vector<T> lit(Lanes<T>, double x) {
  return Vector<T>(lit(One<T>(), x));
}
template <class T>
Vector<T> lit(Lanes<T>, bool x) {
  return x ? Vector<T>(T(0)) == Vector<T>(T(0)) : Vector<T>(T(0));
}

template <Number T>
bool to_boolean(T x) {
  return x != T(0);
}
template <Vectors V>
V to_boolean(V x) {
  return x != V(0);
}
template <class T>
T to_value(One<T>, bool x) {
  return static_cast<T>(x);
}
template <class T>
Vector<T> to_value(Lanes<T>, Vector<T> x) {
  return Vector<T>::blendv(Vector<T>(T(0)), Vector<T>(T(1)), x);
}
template <class T>
T select(bool mask, T a, T b) {
  return mask ? a : b;
}
template <Vectors V>
V select(V mask, V a, V b) {
  return V::blendv(b, a, mask);
}

// Whole numbers wrap around.
template <Whole T, class F>
T wrapping(T x, T y, F f) {
  using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  return static_cast<T>(f(static_cast<U>(x), static_cast<U>(y)));
}
#define OW_ARITHMETIC(name, symbol)                                     \
  template <Number T>                                                   \
  T name(T x, T y) {                                                    \
    if constexpr (Whole<T>)                                             \
      return wrapping(x, y, [](auto a, auto b) { return a symbol b; }); \
    else                                                                \
      return x symbol y;                                                \
  }                                                                     \
  template <Vectors V>                                                  \
  V name(V x, V y) {                                                    \
    return x symbol y;                                                  \
  }
OW_ARITHMETIC(add, +)
OW_ARITHMETIC(sub, -)
OW_ARITHMETIC(mul, *)
#undef OW_ARITHMETIC
template <Real T>
T div(T x, T y) {
  return x / y;
}
template <Vectors V>
V div(V x, V y) {
  return x / y;
}

#define OW_COMPARISON(name, symbol) \
  template <Number T>               \
  bool name(T x, T y) {             \
    return x symbol y;              \
  }                                 \
  template <Vectors V>              \
  V name(V x, V y) {                \
    return x symbol y;              \
  }
OW_COMPARISON(lt, <)
OW_COMPARISON(le, <=)
OW_COMPARISON(gt, >)
OW_COMPARISON(ge, >=)
OW_COMPARISON(eq, ==)
OW_COMPARISON(ne, !=)
#undef OW_COMPARISON

inline bool logical_and(bool x, bool y) { return x && y; }
inline bool logical_or(bool x, bool y) { return x || y; }
inline bool logical_not(bool x) { return !x; }
template <Vectors V>
V logical_and(V x, V y) {
  return x & y;
}
template <Vectors V>
V logical_or(V x, V y) {
  return x | y;
}
template <Vectors V>
V logical_not(V x) {
  return V::blendv(V(0) == V(0), V(0), x);
}
template <Whole T>
T bitwise_and(T x, T y) {
  return static_cast<T>(x & y);
}
template <Whole T>
T bitwise_or(T x, T y) {
  return static_cast<T>(x | y);
}
template <Whole T>
T bitwise_xor(T x, T y) {
  return static_cast<T>(x ^ y);
}
template <Whole T>
T bitwise_not(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return !x;
  else
    return static_cast<T>(~x);
}
// Shifts by as many bits as there are, or by a negative number, leave what PyTorch leaves.
template <Whole T>
T shift_left(T x, T y) {
  constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  if (y < 0 || y >= kBits) return 0;
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << y);
}
template <Whole T>
T shift_right(T x, T y) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  if (y < 0 || y >= kBits) return static_cast<T>(x >> (kBits - (std::is_signed_v<T> ? 0 : 1)));
  return static_cast<T>(x >> y);
}

// A function of one number by its C++ function and by that of at::vec.
#define OW_REAL(name, scalar, vector) \
  template <Real T>                   \
  T name(T x) {                       \
    return scalar;                    \
  }                                   \
  template <Vectors V>                \
  V name(V x) {                       \
    return vector;                    \
  }
OW_REAL(exp, std::exp(x), x.exp())
OW_REAL(exp2, std::exp2(x), x.exp2())
OW_REAL(expm1, std::expm1(x), x.expm1())
OW_REAL(log, std::log(x), x.log())
OW_REAL(log2, std::log2(x), x.log2())
OW_REAL(log10, std::log10(x), x.log10())
OW_REAL(log1p, std::log1p(x), x.log1p())
OW_REAL(sqrt, std::sqrt(x), x.sqrt())
OW_REAL(rsqrt, T(1) / std::sqrt(x), V(1) / x.sqrt())
OW_REAL(sin, std::sin(x), x.sin())
OW_REAL(cos, std::cos(x), x.cos())
OW_REAL(tan, std::tan(x), x.tan())
OW_REAL(asin, std::asin(x), x.asin())
OW_REAL(acos, std::acos(x), x.acos())
OW_REAL(atan, std::atan(x), x.atan())
OW_REAL(sinh, std::sinh(x), x.sinh())
OW_REAL(cosh, std::cosh(x), x.cosh())
OW_REAL(tanh, std::tanh(x), x.tanh())
OW_REAL(erf, std::erf(x), x.erf())
OW_REAL(erfc, std::erfc(x), x.erfc())
OW_REAL(erfinv, library::erfinv_of(x), x.erfinv())
OW_REAL(lgamma, std::lgamma(x), x.lgamma())
OW_REAL(reciprocal, T(1) / x, V(1) / x)
OW_REAL(sigmoid, T(1) / (T(1) + std::exp(-x)), V(1) / (V(1) + x.neg().exp()))
#undef OW_REAL

// Functions that at::vec lacks: element by element.
template <Vectors V, class F>
V each(V x, F f) {
  using T = typename V::value_type;
  T lanes[V::size()];
  x.store(lanes);
  for (T& lane : lanes) lane = f(lane);
  return V::loadu(lanes);
}
template <Vectors V, class F>
V each(V x, V y, F f) {
  using T = typename V::value_type;
  T a[V::size()], b[V::size()];
  x.store(a);
  y.store(b);
  for (int i = 0; i < V::size(); ++i) a[i] = f(a[i], b[i]);
  return V::loadu(a);
}
#define OW_EACH(name, scalar)                       \
  template <Real T>                                 \
  T name(T x) {                                     \
    return scalar;                                  \
  }                                                 \
  template <Vectors V>                              \
  V name(V v) {                                     \
    return each(v, [](auto x) { return name(x); }); \
  }
OW_EACH(asinh, std::asinh(x))
OW_EACH(acosh, std::acosh(x))
OW_EACH(atanh, std::atanh(x))
OW_EACH(digamma, library::digamma_of(x))
OW_EACH(trigamma, library::trigamma_of(x))
OW_EACH(i0, library::i0_of(x))
OW_EACH(i1, library::i1_of(x))
OW_EACH(i0e, library::i0e_of(x))
OW_EACH(i1e, library::i1e_of(x))
#undef OW_EACH

template <Number T>
T neg(T x) {
  if constexpr (Whole<T>)
    return sub(T(0), x);
  else
    return -x;
}
template <Vectors V>
V neg(V x) {
  return x.neg();
}
#define OW_ROUNDING(name, scalar, vector) \
  template <Number T>                     \
  T name(T x) {                           \
    if constexpr (Whole<T>)               \
      return x;                           \
    else                                  \
      return scalar;                      \
  }                                       \
  template <Vectors V>                    \
  V name(V x) {                           \
    return vector;                        \
  }
OW_ROUNDING(floor, std::floor(x), x.floor())
OW_ROUNDING(ceil, std::ceil(x), x.ceil())
OW_ROUNDING(round, std::nearbyint(x), x.round())
OW_ROUNDING(trunc, std::trunc(x), x.trunc())
#undef OW_ROUNDING
template <Number T>
T abs(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (Whole<T>)
    return x < 0 ? neg(x) : x;
  else
    return std::fabs(x);
}
template <Vectors V>
V abs(V x) {
  return x.abs();
}
template <Number T>
T sign(T x) {
  return static_cast<T>((T(0) < x) - (x < T(0)));
}
template <Vectors V>
V sign(V x) {
  return V::blendv(V::blendv(V(0), V(-1), x < V(0)), V(1), x > V(0));
}
template <class T>
T square(T x) {
  return mul(x, x);
}
template <Number T>
T relu(T x) {
  return x < T(0) ? T(0) : x;
}
template <Vectors V>
V relu(V x) {
  return V::blendv(x, V(0), x < V(0));
}

// NaN wins.
template <Number T>
T max(T x, T y) {
  return x != x || x > y ? x : y;
}
template <Number T>
T min(T x, T y) {
  return x != x || x < y ? x : y;
}
template <Vectors V>
V max(V x, V y) {
  return at::vec::maximum(x, y);
}
template <Vectors V>
V min(V x, V y) {
  return at::vec::minimum(x, y);
}

template <Number T>
bool isnan(T x) {
  return x != x;
}
template <Vectors V>
V isnan(V x) {
  return x != x;
}
template <Number T>
bool isinf(T x) {
  return std::isinf(static_cast<double>(x));
}
template <Vectors V>
V isinf(V x) {
  return x.abs() == V(std::numeric_limits<typename V::value_type>::infinity());
}
template <Number T>
bool isfinite(T x) {
  return std::isfinite(static_cast<double>(x));
}
template <Vectors V>
V isfinite(V x) {
  return x.abs() < V(std::numeric_limits<typename V::value_type>::infinity());
}

}  // namespace m
}  // namespace opweave
