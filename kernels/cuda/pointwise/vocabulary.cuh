// The math vocabulary `m` of generated expressions on the GPU: one element at a time, on float,
// double, int64 and bool. Half and BFloat16 compute in float; narrower integers compute in int64
// and wrap when they are stored, which gives the same low bits.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace opweave::cuda::m {

#define OW_DEVICE __device__ __forceinline__

template <class T>
struct Tag {
  using type = T;
};

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;

// --- constants and conversions ------------------------------------------------------------------
template <class T>
OW_DEVICE T lit(Tag<T>, double value) {  // whole numbers wrap, as parameters do
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<T>(static_cast<int64_t>(value));
  else
    return static_cast<T>(value);
}
template <class T>
OW_DEVICE bool lit(Tag<T>, bool value) {
  return value;
}
template <class T>
OW_DEVICE T to_value(Tag<T>, bool value) {
  return static_cast<T>(value);
}
template <class T>
OW_DEVICE bool to_boolean(T value) {
  return value != T(0);
}

// --- arithmetic ---------------------------------------------------------------------------------
// Integers wrap: they are added as unsigned, where overflow is defined.
template <class T, class F>
OW_DEVICE T wrapping(T a, T b, F f) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return static_cast<T>(f(a, b));
  }
}
template <class T>
OW_DEVICE T add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
}
template <class T>
OW_DEVICE T sub(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a != b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
}
template <class T>
OW_DEVICE T mul(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
}
template <class T>
OW_DEVICE T div(T a, T b) {
  return a / b;
}
template <class T>
OW_DEVICE T neg(T a) {
  if constexpr (is_float<T>)
    return -a;
  else if constexpr (std::is_same_v<T, bool>)
    return a;
  else
    return sub(T(0), a);
}
// Rounded towards negative infinity, and towards zero. Division of an integer by zero cannot be
// reported from a kernel; it gives -1, all bits set.
template <class T>
OW_DEVICE T trunc_div(T a, T b) {
  if constexpr (is_float<T>)
    return ::trunc(a / b);
  else
    return b == 0 ? T(-1) : static_cast<T>(a / b);
}
template <class T>
OW_DEVICE T remainder(T a, T b) {
  if constexpr (is_float<T>) {
    const T r = ::fmod(a, b);
    return r != T(0) && (r < T(0)) != (b < T(0)) ? r + b : r;
  } else {
    if (b == 0) return T(-1);
    const T r = static_cast<T>(a % b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
}
template <class T>
OW_DEVICE T floor_div(T a, T b) {
  if constexpr (is_float<T>) {
    // Python's a // b, from the exact rest: a / b, rounded, would reach the next integer.
    if (b == T(0)) return a / b;
    const T rest = ::fmod(a, b);
    const bool below = rest != T(0) && (rest < T(0)) != (b < T(0));
    const T exact = (a - rest) / b - (below ? T(1) : T(0));
    if (exact == T(0)) return ::copysign(T(0), a / b);
    const T floored = ::floor(exact);
    return exact - floored > T(0.5) ? floored + T(1) : floored;
  } else {
    if (b == 0) return T(-1);
    const T q = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
  }
}
template <class T>
OW_DEVICE T fmod(T a, T b) {
  if constexpr (is_float<T>)
    return ::fmod(a, b);
  else
    return b == 0 ? T(-1) : static_cast<T>(a % b);
}

// --- comparison, logic, choice ------------------------------------------------------------------
template <class T>
OW_DEVICE bool lt(T a, T b) {
  return a < b;
}
template <class T>
OW_DEVICE bool le(T a, T b) {
  return a <= b;
}
template <class T>
OW_DEVICE bool gt(T a, T b) {
  return a > b;
}
template <class T>
OW_DEVICE bool ge(T a, T b) {
  return a >= b;
}
template <class T>
OW_DEVICE bool eq(T a, T b) {
  return a == b;
}
template <class T>
OW_DEVICE bool ne(T a, T b) {
  return a != b;
}
OW_DEVICE bool logical_and(bool a, bool b) { return a && b; }
OW_DEVICE bool logical_or(bool a, bool b) { return a || b; }
OW_DEVICE bool logical_not(bool a) { return !a; }
template <class T>
OW_DEVICE T select(bool c, T a, T b) {
  return c ? a : b;
}
template <class T>
OW_DEVICE bool isnan(T a) {
  return a != a;
}
template <class T>
OW_DEVICE bool isinf(T a) {
  if constexpr (is_float<T>)
    return ::isinf(a);
  else
    return false;
}
template <class T>
OW_DEVICE bool isfinite(T a) {
  if constexpr (is_float<T>)
    return ::isfinite(a);
  else
    return true;
}
// NaN wins.
template <class T>
OW_DEVICE T max(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? b : a;
}
template <class T>
OW_DEVICE T min(T a, T b) {
  return a != a ? a : b != b ? b : b < a ? b : a;
}

// --- bits ---------------------------------------------------------------------------------------
template <class T>
OW_DEVICE T bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
OW_DEVICE T bitwise_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
OW_DEVICE T bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
OW_DEVICE T bitwise_not(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return static_cast<T>(~a);
}
// By Euclid's algorithm.
template <class T>
OW_DEVICE T gcd(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) return a || b;
  using Word = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  Word x = static_cast<Word>(a < 0 ? sub(T(0), a) : a);
  Word y = static_cast<Word>(b < 0 ? sub(T(0), b) : b);
  while (y != 0) {
    const Word rest = x % y;
    x = y;
    y = rest;
  }
  return static_cast<T>(x);
}
template <class T>
OW_DEVICE T shift_left(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  } else {
    return static_cast<T>(a << b);
  }
}
template <class T>
OW_DEVICE T shift_right(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return a >> (b < 0 || b > 63 ? 63 : b);
  else
    return static_cast<T>(a >> b);
}

// --- functions ----------------------------------------------------------------------------------
#define OW_UNARY(name, call) \
  template <class T>         \
  OW_DEVICE T name(T x) {    \
    return call;             \
  }
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
OW_UNARY(erfinv, ::erfinv(x))
OW_UNARY(lgamma, ::lgamma(x))
OW_UNARY(sigmoid, T(1) / (T(1) + ::exp(-x)))
OW_UNARY(reciprocal, T(1) / x)
OW_UNARY(square, mul(x, x))
OW_UNARY(relu, x < T(0) ? T(0) : x)
OW_UNARY(conj, x)  // of real numbers: there are no loops over complex ones
#undef OW_UNARY

// Integers are whole already.
#define OW_ROUNDING(name, function) \
  template <class T>                \
  OW_DEVICE T name(T x) {           \
    if constexpr (is_float<T>)      \
      return function(x);           \
    else                            \
      return x;                     \
  }
OW_ROUNDING(floor, ::floor)
OW_ROUNDING(ceil, ::ceil)
OW_ROUNDING(round, ::rint)
OW_ROUNDING(trunc, ::trunc)
#undef OW_ROUNDING

template <class T>
OW_DEVICE T abs(T x) {
  if constexpr (is_float<T>)
    return ::fabs(x);
  else
    return x < T(0) ? neg(x) : x;
}
template <class T>
OW_DEVICE T sign(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return static_cast<T>((T(0) < x) - (x < T(0)));  // 0 for NaN
}
// Recurrence to x >= 10, then the asymptotic series (Abramowitz and Stegun 6.3.6, 6.3.18);
// reflection (6.3.7) for negative arguments.
template <class T>
OW_DEVICE T digamma(T x) {
  if (x == T(0)) return ::copysign(std::numeric_limits<T>::infinity(), -x);
  T result = T(0);
  if (x < T(0)) {
    if (x == ::floor(x)) return std::numeric_limits<T>::quiet_NaN();
    const T pi = T(3.14159265358979323846);
    result = -pi / ::tan(pi * (x - ::floor(x)));
    x = T(1) - x;
  }
  for (; x < T(10); x += T(1)) result -= T(1) / x;
  const T y = T(1) / (x * x);
  const T series =
      y * (T(1) / 12 - y * (T(1) / 120 - y * (T(1) / 252 - y * (T(1) / 240 - y * (T(1) / 132)))));
  return result + ::log(x) - T(0.5) / x - series;
}
// The same for its derivative (6.4.6, 6.4.12, 6.4.7).
template <class T>
OW_DEVICE T trigamma(T x) {
  if (x <= T(0) && x == ::floor(x)) return std::numeric_limits<T>::infinity();
  T result = T(0), sign = T(1);
  if (x < T(0)) {
    const T pi = T(3.14159265358979323846);
    const T quotient = pi / ::sin(pi * (x - ::floor(x)));
    result = quotient * quotient;
    sign = T(-1);
    x = T(1) - x;
  }
  for (; x < T(10); x += T(1)) result += sign / (x * x);
  const T y = T(1) / (x * x);
  const T series =
      y * (T(1) / 6 - y * (T(1) / 30 - y * (T(1) / 42 - y * (T(1) / 30 - y * (T(5) / 66)))));
  return result + sign * ((T(1) + series) / x + T(0.5) * y);
}

// n! times the sum of 1 / (x + k)^(n + 1) for x > 0, by its terms, then by Euler and Maclaurin.
template <class T>
OW_DEVICE T polygamma_size(T n, T x) {
  const T s = n + T(1);
  T sum = T(0), y = x;
  bool is_whole = false;
  // As many as there can be before they no longer count; one more than a large number is the same
  // number.
  constexpr int kMostTerms = 200;
  for (int i = 0; i < kMostTerms && y < T(15) + s && !is_whole; ++i, y += T(1)) {
    const T term = ::pow(x / y, s);
    sum += term;
    is_whole = term * (T(1) + y / n) < sum * std::numeric_limits<T>::epsilon() / T(4);
  }
  if (!is_whole) {
    const T last = ::pow(x / y, s);
    const T bernoulli[] = {T(1) / 6, -T(1) / 30, T(1) / 42, -T(1) / 30, T(5) / 66};
    sum += last * (y / n + T(0.5));
    T factor = last * s / (T(2) * y);
    for (int j = 1; j <= 5; ++j) {
      sum += bernoulli[j - 1] * factor;
      factor *= (s + T(2 * j - 1)) / T(2 * j + 1) * (s + T(2 * j)) / T(2 * j + 2) / (y * y);
    }
  }
  return ::exp(::lgamma(s) - s * ::log(x)) * sum;
}
template <class T>
OW_DEVICE T polygamma(T n, T x) {
  if (!(n >= T(0)) || n != ::floor(n) || x != x) return std::numeric_limits<T>::quiet_NaN();
  if (n == T(0)) return digamma(x);
  if (n == T(1)) return trigamma(x);
  const T sign = ::fmod(n, T(2)) == T(0) ? T(-1) : T(1);
  if (x <= T(0) && x == ::floor(x)) return sign * std::numeric_limits<T>::infinity();
  if (x == std::numeric_limits<T>::infinity()) return sign * T(0);
  if (x > T(0)) return sign * polygamma_size(n, x);
  const T whole = ::ceil(-x), above = x + whole, below = T(1) - above;
  const T mirrored = polygamma_size(n, below) - polygamma_size(n, below + whole);
  return sign * (polygamma_size(n, above) + sign * mirrored);
}

// The modified Bessel functions. Scaled by exp(-|x|), which the toolkit's are not, they stay
// finite: from where both factors are numbers the asymptotic series (9.7.1).
template <class T>
OW_DEVICE T i0(T x) {
  if constexpr (std::is_same_v<T, float>)
    return ::cyl_bessel_i0f(x);
  else
    return ::cyl_bessel_i0(x);
}
template <class T>
OW_DEVICE T i1(T x) {
  if constexpr (std::is_same_v<T, float>)
    return ::cyl_bessel_i1f(x);
  else
    return ::cyl_bessel_i1(x);
}
template <class T>
OW_DEVICE T far_scaled_bessel(int v, T x) {
  T sum = T(1), term = T(1);
  for (int k = 1; k < 30; ++k) {
    const T odd = T(2 * k - 1);
    sum += term *= (odd * odd - T(4 * v)) / (T(8 * k) * x);
  }
  return sum / (T(2.5066282746310002) * ::sqrt(x));
}
template <class T>
OW_DEVICE T i0e(T x) {
  const T size = ::fabs(x);
  return size < T(20) ? ::exp(-size) * i0(x) : far_scaled_bessel(0, size);
}
template <class T>
OW_DEVICE T i1e(T x) {
  const T size = ::fabs(x);
  return size < T(20) ? ::exp(-size) * i1(x) : ::copysign(far_scaled_bessel(1, size), x);
}

template <class T>
OW_DEVICE T pow(T a, T b) {
  if constexpr (is_float<T>) {
    return ::pow(a, b);
  } else {  // a negative exponent gives zero but for 1 and -1, as integer division would
    if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b % 2 == 0 ? T(1) : T(-1)) : T(0);
    T result = 1;
    for (; b != 0; b >>= 1, a = mul(a, a)) {
      if (b & 1) result = mul(result, a);
    }
    return result;
  }
}
template <class T>
OW_DEVICE T atan2(T a, T b) {
  return ::atan2(a, b);
}
template <class T>
OW_DEVICE T hypot(T a, T b) {
  return ::hypot(a, b);
}
template <class T>
OW_DEVICE T copysign(T a, T b) {
  return ::copysign(a, b);
}

}  // namespace opweave::cuda::m
