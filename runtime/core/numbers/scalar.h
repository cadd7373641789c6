// Scalar: one Python number, kept as bool, int64 or double, until a kernel converts it; as uint64
// where it is a whole number too large for int64. A complex number is kept as what tensors have of
// them, two floats: loops in libraries read 16 bytes.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "runtime/core/base/error.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave {

// Half and the like: element types that convert to float.
template <class T>
concept StoredFloat = !std::is_arithmetic_v<T> && !Complex<T> && requires {
  CppTypeToScalarType<T>::value;
};

class Scalar;

namespace detail {
// Holds the sum, the difference and the product of any two 64-bit integers, with and without a
// sign.
__extension__ using Wide = __int128;

constexpr Wide whole(const Scalar& a);
// RuntimeError for a complex number where a real one of the C++ type is needed. Nothing of the core
// is called: libraries for every release compile it, too.
[[noreturn]] inline void fail_complex(const char* type) {
  throw std::runtime_error(std::string("value cannot be converted to type ") + type +
                           " without overflow: the number is not real");
}
template <class F>
constexpr Scalar arithmetic(const Scalar& a, const Scalar& b, F f);
}  // namespace detail

class Scalar {
 public:
  constexpr Scalar() : Scalar(int64_t{0}) {}
  // Member by member: one wide load of a number that has just been made waits for the two writes.
  constexpr Scalar(const Scalar& o) : kind_(o.kind_), bits_(o.bits_) {}
  constexpr Scalar& operator=(const Scalar& o) {
    kind_ = o.kind_;
    bits_ = o.bits_;
    return *this;
  }
  constexpr Scalar(bool value) : kind_(kBool), bits_(value) {}  // NOLINT: implicit, like a number
  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr Scalar(T value)
      : kind_(std::is_signed_v<T> || static_cast<uint64_t>(value) <= INT64_MAX ? kLong : kUInt64),
        bits_(static_cast<int64_t>(value)) {}  // NOLINT
  template <std::floating_point T>
  constexpr Scalar(T value)  // NOLINT
      : kind_(kDouble), bits_(std::bit_cast<int64_t>(static_cast<double>(value))) {}
  template <StoredFloat T>
  Scalar(T value) : Scalar(static_cast<float>(value)) {}  // NOLINT
  template <Complex T>
  constexpr Scalar(T value)  // NOLINT
      : kind_(kComplexFloat),
        bits_(std::bit_cast<int64_t>(
            Parts{static_cast<float>(value.real()), static_cast<float>(value.imag())})) {}

  // kBool, kLong, kDouble or kComplexFloat: the Python type the number came from; kUInt64 from 2^63
  // on.
  constexpr ScalarType type() const { return kind_; }
  constexpr bool is_complex() const { return kind_ == kComplexFloat; }
  constexpr bool is_floating() const { return kind_ == kDouble; }
  constexpr bool is_bool() const { return kind_ == kBool; }
  constexpr bool is_integral(bool include_bool) const {
    return kind_ == kLong || kind_ == kUInt64 || (include_bool && kind_ == kBool);
  }

  // RuntimeError for a complex number that is not real.
  constexpr double to_double() const {
    if (kind_ == kUInt64) return static_cast<double>(static_cast<uint64_t>(bits_));
    return holds_real() ? as_double("double") : static_cast<double>(bits_);
  }
  constexpr ComplexDouble to_complex() const {
    if (!is_complex()) return to_double();
    return {parts()[0], parts()[1]};
  }
  // Truncates a float towards zero, as int() does. NaN and out-of-range values give INT64_MIN;
  // integers from 2^63 on wrap.
  constexpr int64_t to_long() const {
    if (!holds_real()) return bits_;
    const double value = as_double("int64_t");
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
  }
  constexpr bool to_bool() const {
    if (is_complex()) return to_complex() != 0.0;
    return kind_ == kDouble ? as_double("double") != 0 : bits_ != 0;
  }

  // The value as an element of type T; integers wrap, as in a C cast.
  template <class T>
  T to() const {
    if constexpr (std::same_as<T, bool>) {
      return to_bool();
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(to_long());
    } else if constexpr (Complex<T>) {
      return static_cast<T>(to_complex());
    } else {
      return static_cast<T>(to_double());
    }
  }

  constexpr bool equal(const Scalar& other) const {
    if (is_complex() || other.is_complex()) return to_complex() == other.to_complex();
    if (kind_ == kDouble || other.kind_ == kDouble) return to_double() == other.to_double();
    return bits_ == other.bits_ && (kind_ == kUInt64) == (other.kind_ == kUInt64);
  }

  // Arithmetic of formulas on numbers, with Python's types: integers stay integers but for
  // division, and bools count as integers. An integer that has no 64 bits becomes a float. Friends,
  // so that no operands but Scalars find them: two Halfs are multiplied as floats.
  friend constexpr Scalar operator+(const Scalar& a, const Scalar& b) {
    return detail::arithmetic(a, b, [](auto x, auto y) { return x + y; });
  }
  friend constexpr Scalar operator-(const Scalar& a, const Scalar& b) {
    return detail::arithmetic(a, b, [](auto x, auto y) { return x - y; });
  }
  friend constexpr Scalar operator*(const Scalar& a, const Scalar& b) {
    return detail::arithmetic(a, b, [](auto x, auto y) { return x * y; });
  }
  friend constexpr Scalar operator/(const Scalar& a, const Scalar& b) {
    if (a.is_complex() || b.is_complex()) return a.to_complex() / b.to_complex();
    return a.to_double() / b.to_double();
  }
  friend constexpr Scalar operator-(const Scalar& a) { return Scalar(0) - a; }
  friend constexpr bool operator==(const Scalar& a, const Scalar& b) { return a.equal(b); }
  // Between a float and an integer as floats. Complex numbers have no order.
  friend constexpr bool operator<(const Scalar& a, const Scalar& b) {
    if (a.holds_real() || b.holds_real()) return a.to_double() < b.to_double();
    return detail::whole(a) < detail::whole(b);
  }
  friend constexpr bool operator<=(const Scalar& a, const Scalar& b) {
    if (a.holds_real() || b.holds_real()) return a.to_double() <= b.to_double();
    return detail::whole(a) <= detail::whole(b);
  }
  friend constexpr bool operator>(const Scalar& a, const Scalar& b) { return b < a; }
  friend constexpr bool operator>=(const Scalar& a, const Scalar& b) { return b <= a; }

 private:
  using Parts = std::array<float, 2>;
  constexpr Parts parts() const { return std::bit_cast<Parts>(bits_); }
  constexpr bool holds_real() const { return kind_ == kDouble || kind_ == kComplexFloat; }
  constexpr double as_double(const char* type) const {
    if (!is_complex()) return std::bit_cast<double>(bits_);
    if (parts()[1] != 0) detail::fail_complex(type);
    return parts()[0];
  }

  ScalarType kind_;
  int64_t bits_;  // an integer, those of a double, or of two floats
};

namespace detail {
constexpr Scalar number(double value) { return value; }
constexpr Scalar number(ComplexDouble value) { return value; }
constexpr Scalar number(Wide value) {
  if (value == static_cast<int64_t>(value)) return static_cast<int64_t>(value);
  if (value == static_cast<uint64_t>(value)) return static_cast<uint64_t>(value);
  return static_cast<double>(value);
}
constexpr Wide whole(const Scalar& a) {
  return a.type() == kUInt64 ? Wide{static_cast<uint64_t>(a.to_long())} : Wide{a.to_long()};
}
template <class F>
constexpr Scalar arithmetic(const Scalar& a, const Scalar& b, F f) {
  if (a.is_complex() || b.is_complex()) return number(f(a.to_complex(), b.to_complex()));
  if (a.is_floating() || b.is_floating()) return number(f(a.to_double(), b.to_double()));
  return number(f(whole(a), whole(b)));
}
}  // namespace detail

inline void append_to(std::string& out, const Scalar& s) {
  if (s.is_complex()) {
    out += '(';
    append_to(out, s.to_complex().real());
    if (!(s.to_complex().imag() < 0)) out += '+';
    append_to(out, s.to_complex().imag());
    out += "j)";
  } else if (s.is_floating()) {
    append_to(out, s.to_double());
  } else if (s.is_bool()) {
    append_to(out, s.to_bool());
  } else if (s.type() == kUInt64) {
    append_to(out, static_cast<uint64_t>(s.to_long()));
  } else {
    append_to(out, s.to_long());
  }
}

}  // namespace opweave
