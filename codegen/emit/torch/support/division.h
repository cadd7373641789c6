// Division, remainders, powers and conjugates, for one element and for vectors: at::vec lacks most
// of them.
#pragma once

#include "vocabulary.h"

namespace opweave::m {

// Division of whole numbers by zero stops programs: it gives 0, or all of what is divided.
template <Number T>
T trunc_div(T x, T y) {
  if constexpr (Whole<T>)
    return y == 0 ? T(0) : y == T(-1) && std::is_signed_v<T> ? neg(x) : static_cast<T>(x / y);
  else
    return std::trunc(x / y);
}
template <Number T>
T fmod(T x, T y) {
  if constexpr (Whole<T>)
    return y == 0 ? x : y == T(-1) && std::is_signed_v<T> ? T(0) : static_cast<T>(x % y);
  else
    return std::fmod(x, y);
}
// By Euclid's algorithm.
template <Whole T>
T gcd(T x, T y) {
  using Word = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  Word a = x < 0 ? static_cast<Word>(0) - static_cast<Word>(x) : static_cast<Word>(x);
  Word b = y < 0 ? static_cast<Word>(0) - static_cast<Word>(y) : static_cast<Word>(y);
  while (b != 0) {
    const Word rest = static_cast<Word>(a % b);
    a = b;
    b = rest;
  }
  return static_cast<T>(a);
}
template <Number T>
T remainder(T x, T y) {
  const T rest = fmod(x, y);
  return rest != T(0) && (rest < T(0)) != (y < T(0)) ? static_cast<T>(rest + y) : rest;
}
template <Number T>
T floor_div(T x, T y) {
  if constexpr (Whole<T>) {
    const T quotient = trunc_div(x, y);
    return y != 0 && fmod(x, y) != 0 && (x < 0) != (y < 0) ? static_cast<T>(quotient - 1)
                                                           : quotient;
  } else {
    if (y == 0) return x / y;
    const T rest = std::fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
  }
}
template <Number T>
T pow(T x, T y) {
  if constexpr (Whole<T>) {
    if (y < 0)
      return x == 1 ? T(1) : x == T(-1) && std::is_signed_v<T> ? (y % 2 != 0 ? T(-1) : T(1)) : T(0);
    T result = 1;
    for (; y != 0; y = static_cast<T>(y / 2), x = mul(x, x)) {
      if (y % 2 != 0) result = mul(result, x);
    }
    return result;
  } else {
    return std::pow(x, y);
  }
}
template <Number T>
T hypot(T x, T y) {
  return static_cast<T>(std::hypot(x, y));
}
template <Real T>
T atan2(T x, T y) {
  return std::atan2(x, y);
}
template <Real T>
T copysign(T x, T y) {
  return std::copysign(x, y);
}
template <Real T>
T polygamma(T n, T x) {
  return library::polygamma_of(n, x);
}
// There are loops over real numbers alone.
template <class T>
T conj(T x) {
  return x;
}
template <Vectors V>
V pow(V x, V y) {
  return x.pow(y);
}
template <Vectors V>
V atan2(V x, V y) {
  return x.atan2(y);
}
template <Vectors V>
V hypot(V x, V y) {
  return x.hypot(y);
}
template <Vectors V>
V copysign(V x, V y) {
  return x.copysign(y);
}
#define OW_EACH(name)                                             \
  template <Vectors V>                                            \
  V name(V v, V w) {                                              \
    return each(v, w, [](auto x, auto y) { return name(x, y); }); \
  }
OW_EACH(trunc_div)
OW_EACH(fmod)
OW_EACH(remainder)
OW_EACH(floor_div)
OW_EACH(polygamma)
#undef OW_EACH

}  // namespace opweave::m
