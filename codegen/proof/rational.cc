// Arithmetic of polynomials and their quotients.
#include "codegen/proof/rational.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace opweave::codegen {
namespace {

constexpr double kRounding = 1e-13;
constexpr size_t kMaxTerms = 400;

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial result;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool left = j == b.size() || (i < a.size() && a[i].first < b[j].first);
    const bool right = i == a.size() || (j < b.size() && b[j].first < a[i].first);
    if (left) {
      result.push_back(a[i++]);
    } else if (right) {
      result.push_back(b[j++]);
    } else {
      const int exponent = a[i].second + b[j].second;
      if (exponent != 0) result.emplace_back(a[i].first, exponent);
      ++i;
      ++j;
    }
  }
  return result;
}

// The smaller exponent of each atom; of one that only one of them has, if that is negative.
Monomial common_of(const Monomial& a, const Monomial& b) {
  std::map<int, int> smaller(a.begin(), a.end());
  for (auto& [atom, exponent] : smaller) exponent = std::min(exponent, 0);
  for (const auto& [atom, exponent] : b) {
    const auto own = std::ranges::find(a, atom, &Monomial::value_type::first);
    smaller[atom] = std::min(own == a.end() ? 0 : own->second, exponent);
  }
  std::erase_if(smaller, [](const auto& entry) { return entry.second == 0; });
  return {smaller.begin(), smaller.end()};
}

}  // namespace

Monomial inverse_of(Monomial monomial) {
  for (auto& [atom, exponent] : monomial) exponent = -exponent;
  return monomial;
}

Polynomial Polynomial::number(double value) {
  Polynomial result;
  if (value != 0) result.add({}, value, std::fabs(value));
  return result;
}

Polynomial Polynomial::atom(int index, int exponent) {
  Polynomial result;
  result.add({{index, exponent}}, 1, 1);
  return result;
}

std::optional<double> Polynomial::as_number() const {
  if (terms_.empty()) return 0.0;
  const bool alone = terms_.size() == 1 && terms_.begin()->first.empty();
  return alone ? std::optional(terms_.begin()->second) : std::nullopt;
}

Monomial Polynomial::common() const {
  if (terms_.empty()) return {};
  Monomial result = terms_.begin()->first;
  for (const auto& [monomial, value] : terms_) result = common_of(result, monomial);
  return result;
}

void Polynomial::add(const Monomial& monomial, double value, double size) {
  terms_[monomial] += value;
  sizes_[monomial] += size;
}

void Polynomial::drop_rounding() {
  for (auto it = terms_.begin(); it != terms_.end();) {
    if (std::fabs(it->second) > kRounding * sizes_[it->first]) {
      ++it;
      continue;
    }
    sizes_.erase(it->first);
    it = terms_.erase(it);
  }
}

Polynomial Polynomial::plus(const Polynomial& other, double factor) const {
  Polynomial result = *this;
  for (const auto& [monomial, value] : other.terms_) {
    result.add(monomial, factor * value, std::fabs(factor) * other.sizes_.at(monomial));
  }
  result.drop_rounding();
  return result;
}

Polynomial Polynomial::times(const Monomial& monomial, double factor) const {
  Polynomial result;
  for (const auto& [own, value] : terms_) {
    result.add(product(own, monomial), value * factor, sizes_.at(own) * std::fabs(factor));
  }
  return result;
}

Polynomial Polynomial::times(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [theirs, value] : other.terms_) {
    const double size = other.sizes_.at(theirs);
    for (const auto& [own, factor] : terms_)
      result.add(product(own, theirs), value * factor, size * sizes_.at(own));
  }
  result.drop_rounding();
  return result;
}

bool Polynomial::is(const Polynomial& other) const {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first &&
           std::fabs(a.second - b.second) <= kRounding * std::fabs(a.second + b.second);
  };
  return std::ranges::equal(terms_, other.terms_, same);
}

std::string Polynomial::key() const {
  std::string text;
  for (const auto& [monomial, value] : terms_) {
    text += fmt::format("{:+.13g}", value);
    for (const auto& [atom, exponent] : monomial) text += fmt::format("*{}^{}", atom, exponent);
  }
  return text.empty() ? "0" : text;
}

// Below, one term becomes 1, and the first of several gets the coefficient 1.
Rational::Rational(Polynomial above, Polynomial below)
    : above_(std::move(above)), below_(std::move(below)) {
  if (above_.is_zero()) below_ = Polynomial::number(1);
  if (below_.is_zero()) return;
  const auto& [first, value] = *below_.terms().begin();
  const Monomial divisor = inverse_of(first);
  const double factor = 1 / value;
  above_ = above_.times(divisor, factor);
  below_ = below_.times(divisor, factor);
}

std::optional<double> Rational::as_number() const {
  const auto above = above_.as_number(), below = below_.as_number();
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

bool Rational::is_too_large() const {
  return above_.terms().size() > kMaxTerms || below_.terms().size() > kMaxTerms;
}

Rational Rational::plus(const Rational& other, double factor) const {
  if (below_.is(other.below_)) return {above_.plus(other.above_, factor), below_};
  return {above_.times(other.below_).plus(other.above_.times(below_), factor),
          below_.times(other.below_)};
}

Rational Rational::times(const Rational& other) const {
  if (above_.is(other.below_)) return {other.above_, below_};
  if (below_.is(other.above_)) return {above_, other.below_};
  return {above_.times(other.above_), below_.times(other.below_)};
}

Rational Rational::inverse() const { return {below_, above_}; }

Rational Rational::power(int exponent) const {
  if (exponent < 0) return inverse().power(-exponent);
  Rational result = number(1);
  for (int i = 0; i < exponent && !result.is_too_large(); ++i) result = result.times(*this);
  return result;
}

}  // namespace opweave::codegen
