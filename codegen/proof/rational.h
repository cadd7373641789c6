// Quotients of polynomials with real coefficients, over atoms that are told apart by number.
// Exponents may be negative.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opweave::codegen {

using Monomial = std::vector<std::pair<int, int>>;  // atom and exponent, sorted, none zero
Monomial inverse_of(Monomial monomial);

class Polynomial {
 public:
  static Polynomial number(double value);
  static Polynomial atom(int index, int exponent = 1);

  const std::map<Monomial, double>& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  // The number that it is, if it is one.
  std::optional<double> as_number() const;
  // What every term has as a factor.
  Monomial common() const;

  Polynomial plus(const Polynomial& other, double factor = 1) const;
  Polynomial times(const Polynomial& other) const;
  Polynomial times(const Monomial& monomial, double factor) const;
  // The same up to rounding.
  bool is(const Polynomial& other) const;
  std::string key() const;

 private:
  // Sums that cancel but for rounding are zero: each remembers how large its parts were.
  void add(const Monomial& monomial, double value, double size);
  void drop_rounding();

  std::map<Monomial, double> terms_;
  std::map<Monomial, double> sizes_;
};

class Rational {
 public:
  Rational() : below_(Polynomial::number(1)) {}
  static Rational number(double value) {
    return {Polynomial::number(value), Polynomial::number(1)};
  }
  static Rational atom(int index) { return {Polynomial::atom(index), Polynomial::number(1)}; }
  static Rational polynomial(Polynomial above) { return {std::move(above), Polynomial::number(1)}; }

  const Polynomial& above() const { return above_; }
  const Polynomial& below() const { return below_; }
  bool is_zero() const { return above_.is_zero(); }
  std::optional<double> as_number() const;
  // More than this is not worth its time.
  bool is_too_large() const;

  Rational plus(const Rational& other, double factor = 1) const;
  Rational times(const Rational& other) const;
  Rational inverse() const;
  Rational power(int exponent) const;
  // The same for equal quotients of the same shape.
  std::string key() const { return above_.key() + "/" + below_.key(); }

 private:
  Rational(Polynomial above, Polynomial below);

  Polynomial above_, below_;
};

}  // namespace opweave::codegen
