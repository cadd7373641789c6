// Functions of m that OpenCL does not have: gamma's derivatives, the inverse of erf, Bessel's. The
// counterpart of those in kernels/cuda/pointwise/vocabulary.cuh, by the same formulas.
#pragma once

#include "kernels/blocks/numbers.h"

#ifdef __OPENCL_CPP_VERSION__

namespace opweave::blocks::m {

template <class T>
OW_BLOCK T not_a_number() {
  return Limits<T>::infinity() - Limits<T>::infinity();
}
template <class T>
inline constexpr T kPi = static_cast<T>(3.14159265358979323846);

// The polynomial with these coefficients, the lowest first.
template <class T>
OW_BLOCK T polynomial(T, T last) {
  return last;
}
template <class T, class... Others>
OW_BLOCK T polynomial(T x, T first, T second, Others... others) {
  return first + x * polynomial(x, second, others...);
}

// Recurrence to x >= 10, then the asymptotic series (Abramowitz and Stegun 6.3.6, 6.3.18);
// reflection (6.3.7) for negative arguments.
template <class T>
OW_BLOCK T digamma(T x) {
  if (x == T(0)) return ::copysign(Limits<T>::infinity(), -x);
  T result = T(0);
  if (x < T(0)) {
    if (x == ::floor(x)) return not_a_number<T>();
    result = -kPi<T> / ::tan(kPi<T> * (x - ::floor(x)));
    x = T(1) - x;
  }
  for (; x < T(10); x += T(1)) result -= T(1) / x;
  const T y = T(1) / (x * x);
  const T series = polynomial(y, T(1) / 12, -T(1) / 120, T(1) / 252, -T(1) / 240, T(1) / 132);
  return result + ::log(x) - T(0.5f) / x - y * series;
}

// The same for its derivative (6.4.6, 6.4.12, 6.4.7).
template <class T>
OW_BLOCK T trigamma(T x) {
  if (x <= T(0) && x == ::floor(x)) return Limits<T>::infinity();
  T result = T(0), sign = T(1);
  if (x < T(0)) {
    const T quotient = kPi<T> / ::sin(kPi<T> * (x - ::floor(x)));
    result = quotient * quotient;
    sign = T(-1);
    x = T(1) - x;
  }
  for (; x < T(10); x += T(1)) result += sign / (x * x);
  const T y = T(1) / (x * x);
  const T series = polynomial(y, T(1) / 6, -T(1) / 30, T(1) / 42, -T(1) / 30, T(5) / 66);
  return result + sign * ((T(1) + y * series) / x + T(0.5f) * y);
}

// n! times the sum of 1 / (x + k)^(n + 1) for x > 0, by its terms, then by Euler and Maclaurin.
template <class T>
OW_BLOCK T polygamma_size(T n, T x) {
  const T s = n + T(1);
  T sum = T(0), y = x;
  bool is_whole = false;
  // As many as there can be before they no longer count.
  constexpr int kMostTerms = 200;
  for (int i = 0; i < kMostTerms && y < T(15) + s && !is_whole; ++i, y += T(1)) {
    const T term = ::pow(x / y, s);
    const T before = sum;
    sum += term;
    is_whole = term * (T(1) + y / n) < sum && before + term * (T(1) + y / n) == before;
  }
  if (!is_whole) {
    const T last = ::pow(x / y, s);
    const T bernoulli[] = {T(1) / 6, -T(1) / 30, T(1) / 42, -T(1) / 30, T(5) / 66};
    sum += last * (y / n + T(0.5f));
    T factor = last * s / (T(2) * y);
    for (int j = 1; j <= 5; ++j) {
      sum += bernoulli[j - 1] * factor;
      factor *= (s + T(2 * j - 1)) / T(2 * j + 1) * (s + T(2 * j)) / T(2 * j + 2) / (y * y);
    }
  }
  return ::exp(::lgamma(s) - s * ::log(x)) * sum;
}
template <class T>
OW_BLOCK T polygamma(T n, T x) {
  if (!(n >= T(0)) || n != ::floor(n) || x != x) return not_a_number<T>();
  if (n == T(0)) return digamma(x);
  if (n == T(1)) return trigamma(x);
  const T sign = ::fmod(n, T(2)) == T(0) ? T(-1) : T(1);
  if (x <= T(0) && x == ::floor(x)) return sign * Limits<T>::infinity();
  if (x == Limits<T>::infinity()) return sign * T(0);
  if (x > T(0)) return sign * polygamma_size(n, x);
  const T whole = ::ceil(-x), above = x + whole, below = T(1) - above;
  const T mirrored = polygamma_size(n, below) - polygamma_size(n, below + whole);
  return sign * (polygamma_size(n, above) + sign * mirrored);
}

// Winitzki's approximation, then two of Halley's steps, each of which cubes the error; beyond a
// half by erfc, which keeps the digits that 1 - x has.
template <class T>
OW_BLOCK T erfinv(T x) {
  const T size = ::fabs(x);
  if (!(size < T(1)))
    return size == T(1) ? ::copysign(Limits<T>::infinity(), x) : not_a_number<T>();
  if (size == T(0)) return x;
  const T a = static_cast<T>(0.147), logarithm = ::log1p(-size * size);
  const T middle = T(2) / (kPi<T> * a) + logarithm / T(2);
  T y = ::sqrt(-logarithm / a / (::sqrt(middle * middle - logarithm / a) + middle));
  for (int k = 0; k < 2; ++k) {
    const T off = size < T(0.5f) ? ::erf(y) - size : (T(1) - size) - ::erfc(y);
    const T step = off * ::exp(y * y) * static_cast<T>(0.886226925452758);
    y -= step / (T(1) + y * step);
  }
  return ::copysign(y, x);
}

// The modified Bessel functions of order v, scaled by exp(-|x|): the series of powers (9.6.10),
// whose terms are all of one sign, and from 20 the asymptotic one (9.7.1).
template <class T>
OW_BLOCK T scaled_bessel(int v, T x) {
  T sum = T(1), term = T(1);
  if (x < T(20)) {
    const T quarter = x * x / T(4);
    for (int k = 1; k < 70; ++k) sum += term *= quarter / (T(k) * T(k + v));
    return ::exp(-x) * (v == 0 ? sum : sum * x / T(2));
  }
  for (int k = 1; k < 30; ++k) {
    const T odd = T(2 * k - 1);
    sum += term *= (odd * odd - T(4 * v)) / (T(8 * k) * x);
  }
  return sum / ::sqrt(T(2) * kPi<T> * x);
}
template <class T>
OW_BLOCK T i0e(T x) {
  return scaled_bessel(0, ::fabs(x));
}
template <class T>
OW_BLOCK T i1e(T x) {
  return ::copysign(scaled_bessel(1, ::fabs(x)), x);
}
// In two factors: the result may be a number where exp(|x|) is none.
template <class T>
OW_BLOCK T i0(T x) {
  const T root = ::exp(::fabs(x) / T(2));
  return i0e(x) * root * root;
}
template <class T>
OW_BLOCK T i1(T x) {
  const T root = ::exp(::fabs(x) / T(2));
  return i1e(x) * root * root;
}

}  // namespace opweave::blocks::m

#endif
