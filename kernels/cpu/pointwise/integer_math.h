// Arithmetic on integers and bool as tensors have it: wrapping, Python's and C's kinds of division,
// errors instead of traps. Computed in unsigned words, where overflow is defined.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace opweave::cpu::plain {

#define OW_PLAIN inline __attribute__((always_inline))

// RuntimeError "ZeroDivisionError", as in PyTorch.
[[noreturn]] void throw_zero_division();

template <class T>
using Word = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <std::integral T>
OW_PLAIN constexpr Word<T> word(T value) {
  return static_cast<Word<T>>(value);
}

// A number of an expression in the type of computation. Whole numbers wrap, as parameters do: of a
// double beyond the range of T C++ does not say what becomes of it.
template <class T>
OW_PLAIN constexpr T literal(double value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return value < 0 ? static_cast<T>(static_cast<int64_t>(value))
                     : static_cast<T>(static_cast<uint64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <std::integral T>
OW_PLAIN constexpr T add(T a, T b) {
  return static_cast<T>(word(a) + word(b));
}
template <std::integral T>
OW_PLAIN constexpr T sub(T a, T b) {
  return static_cast<T>(word(a) - word(b));
}
template <std::integral T>
OW_PLAIN constexpr T mul(T a, T b) {
  return static_cast<T>(word(a) * word(b));
}
template <std::integral T>
OW_PLAIN constexpr T neg(T a) {
  return static_cast<T>(Word<T>{0} - word(a));
}
template <std::integral T>
OW_PLAIN constexpr T abs(T a) {
  return a < T{0} ? neg(a) : a;
}
template <std::integral T>
OW_PLAIN constexpr T sign(T a) {
  return static_cast<T>((a > T{0}) - (a < T{0}));
}

// By Euclid's algorithm; not negative but where the least integer divides itself or zero.
template <std::integral T>
OW_PLAIN constexpr T gcd(T a, T b) {
  if constexpr (std::same_as<T, bool>) return a || b;
  using Unsigned = std::make_unsigned_t<std::conditional_t<std::same_as<T, bool>, uint8_t, T>>;
  auto x = static_cast<Unsigned>(abs(a)), y = static_cast<Unsigned>(abs(b));
  while (y != 0) {
    const auto rest = static_cast<Unsigned>(x % y);
    x = y;
    y = rest;
  }
  return static_cast<T>(x);
}

// Throws for b == 0; says whether the quotient is plain -a, which for the least integer would trap.
template <std::integral T>
OW_PLAIN bool divides_by_minus_one(T b) {
  if (b == T{0}) [[unlikely]]
    throw_zero_division();
  return std::signed_integral<T> && b == static_cast<T>(-1);
}
// Rounded towards zero.
template <std::integral T>
OW_PLAIN T trunc_div(T a, T b) {
  return divides_by_minus_one(b) ? neg(a) : static_cast<T>(a / b);
}
// The sign of a.
template <std::integral T>
OW_PLAIN T fmod(T a, T b) {
  return divides_by_minus_one(b) ? T{0} : static_cast<T>(a % b);
}
// Rounded towards minus infinity.
template <std::integral T>
OW_PLAIN T floor_div(T a, T b) {
  if (divides_by_minus_one(b)) return neg(a);
  const bool inexact_and_negative = a % b != 0 && (a < T{0}) != (b < T{0});
  return static_cast<T>(a / b - inexact_and_negative);
}
// The sign of b, as Python's %.
template <std::integral T>
OW_PLAIN T remainder(T a, T b) {
  if (divides_by_minus_one(b)) return T{0};
  const T rest = static_cast<T>(a % b);
  return rest != 0 && (rest < T{0}) != (b < T{0}) ? static_cast<T>(rest + b) : rest;
}

// By squaring. A negative exponent gives 0, or ±1 where |a| is 1.
template <std::integral T>
OW_PLAIN T pow(T a, T b) {
  if (b < T{0}) {
    if (a == T{1}) return T{1};
    if (std::signed_integral<T> && a == static_cast<T>(-1)) return b % 2 == 0 ? T{1} : a;
    return T{0};
  }
  T result{1};
  for (auto n =
           static_cast<std::make_unsigned_t<std::conditional_t<std::same_as<T, bool>, uint8_t, T>>>(
               b);
       n != 0; n >>= 1) {
    if (n & 1) result = mul(result, a);
    a = mul(a, a);
  }
  return result;
}

// A count outside [0, width) shifts everything out.
template <std::integral T>
OW_PLAIN constexpr T shift_left(T a, T b) {
  constexpr int64_t kBits = sizeof(T) * 8;
  const auto count = static_cast<int64_t>(b);
  return count < 0 || count >= kBits ? T{0} : static_cast<T>(word(a) << count);
}
template <std::integral T>
OW_PLAIN constexpr T shift_right(T a, T b) {
  constexpr int64_t kBits = sizeof(T) * 8;
  const auto count = static_cast<int64_t>(b);
  if (count < 0 || count >= kBits) return a < T{0} ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> count);
}
template <std::integral T>
OW_PLAIN constexpr T bitwise_not(T a) {
  if constexpr (std::same_as<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}

#undef OW_PLAIN

}  // namespace opweave::cpu::plain
