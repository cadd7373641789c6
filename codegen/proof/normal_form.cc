// Normal forms by the operations of trees.
#include "codegen/proof/normal_form.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

std::optional<int> small_integer(double value) {
  const bool small = std::fabs(value) <= 16 && std::fabs(value - std::round(value)) < 1e-12;
  return small ? std::optional(static_cast<int>(std::lround(value))) : std::nullopt;
}

Rational negative(const Rational& x) { return Rational().plus(x, -1); }
Rational one_plus(const Rational& x, double factor = 1) {
  return Rational::number(1).plus(x, factor);
}

}  // namespace

std::optional<Rational> NormalForm::of(const ElementNode& node) {
  if (auto known = done_.find(&node); known != done_.end()) return known->second;
  Value made = make(node);
  if (!made || made->is_too_large()) return std::nullopt;
  done_.emplace(&node, *made);
  return made;
}

int NormalForm::atom(const std::string& key, Atom made) {
  auto [entry, is_new] = atoms_.emplace(key, static_cast<int>(known_.size()));
  if (is_new) known_.push_back(std::move(made));
  return entry->second;
}

std::optional<bool> NormalForm::choice(const std::string& key) {
  auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  if (missing_.empty()) missing_ = key;
  return std::nullopt;
}

std::optional<Rational> NormalForm::make(const ElementNode& node) {
  if (node.type == ElementType::boolean) {
    const auto truth = condition(node);
    return truth ? Value(Rational::number(*truth ? 1 : 0)) : std::nullopt;
  }
  switch (node.op) {
    case Op::literal:
      if (!std::isfinite(node.number)) return named(fmt::format("{}", node.number));
      return Rational::number(node.number);
    case Op::argument:
      return named(fmt::format("argument {}", node.index));
    case Op::select:
      return selected(node);
    case Op::to_value:
      return of(node.operand(0));
    default:
      return arithmetic(node);
  }
}

std::optional<Rational> NormalForm::selected(const ElementNode& node) {
  const auto truth = condition(node.operand(0));
  return truth ? of(node.operand(*truth ? 1 : 2)) : std::nullopt;
}

std::optional<Rational> NormalForm::arithmetic(const ElementNode& node) {
  const Value x = of(node.operand(0));
  if (!x) return std::nullopt;
  if (node.operands.size() == 1) return function(node, *x);
  const Value y = of(node.operand(1));
  if (!y) return std::nullopt;
  switch (node.op) {
    case Op::add:
      return x->plus(*y);
    case Op::subtract:
      return x->plus(*y, -1);
    case Op::multiply:
      return x->times(*y);
    case Op::divide:
      return y->is_zero() ? std::nullopt : Value(x->times(y->inverse()));
    default:
      return function(node, *x, *y);
  }
}

Rational NormalForm::logarithm(const Rational& x) {
  return Rational::atom(atom("log " + x.key(), {Atom::Kind::log, x}));
}

Rational NormalForm::root(const Rational& x) {
  return Rational::atom(atom("sqrt " + x.key(), {Atom::Kind::root, x}));
}

Rational NormalForm::cosine(const Rational& x) { return named("cos " + x.key()); }

Rational NormalForm::sine(const Rational& x) {
  const int cosine = atom("cos " + x.key());
  return Rational::atom(atom("sin " + x.key(), {Atom::Kind::sine, {}, cosine}));
}

// The exponential of a sum is the product of those of its terms; exp(n * log(x)) is a power of x.
std::optional<Rational> NormalForm::exponential(const Rational& x) {
  if (!x.below().as_number()) {
    const bool negate = x.above().terms().begin()->second < 0;
    const Rational positive = negate ? negative(x) : x;
    const Rational value = named("exp " + positive.key());
    return negate ? value.inverse() : value;
  }
  Rational product = Rational::number(1);
  for (const auto& [monomial, coefficient] : x.above().terms()) {
    const auto whole = small_integer(coefficient);
    const bool single = monomial.size() == 1 && monomial[0].second == 1;
    if (whole && single && known_[monomial[0].first].kind == Atom::Kind::log) {
      product = product.times(Rational(known_[monomial[0].first].of).power(*whole));
      continue;
    }
    const double size = whole ? 1 : std::fabs(coefficient);
    const Rational term = Rational::polynomial(Polynomial::number(size).times(monomial, 1));
    const int exponent = whole ? *whole : (coefficient < 0 ? -1 : 1);
    product = product.times(named("exp " + term.key()).power(exponent));
  }
  return product;
}

std::optional<Rational> NormalForm::power(const Rational& x, const Rational& y) {
  if (const auto exponent = y.as_number()) {
    if (const auto whole = small_integer(*exponent)) {
      if (*whole < 0 && x.is_zero()) return std::nullopt;
      return x.power(*whole);
    }
    if (const auto halves = small_integer(2 * *exponent)) return root(x).power(*halves);
  }
  return exponential(y.times(logarithm(x)));
}

std::optional<bool> NormalForm::is_positive(const Rational& x) {
  if (const auto value = x.as_number()) return *value > 0;
  const double first = x.above().terms().begin()->second;
  // Of x and of 2 * x, or -x, it is one question.
  const Rational scaled = x.times(Rational::number(1 / first));
  const auto positive = choice("positive " + scaled.key());
  return positive ? std::optional(*positive == (first > 0)) : std::nullopt;
}

std::optional<Rational> NormalForm::signed_by(const Rational& x, const Rational& if_positive,
                                              const Rational& otherwise) {
  const auto positive = is_positive(x);
  if (!positive) return std::nullopt;
  return *positive ? if_positive : otherwise;
}

std::optional<Rational> NormalForm::function(const ElementNode& node, const Rational& x) {
  const Rational one = Rational::number(1);
  const auto scaled_log = [&](double base) {
    return logarithm(x).times(Rational::number(1 / base));
  };
  switch (node.op) {
    case Op::negate:
      return negative(x);
    case Op::square:
      return x.times(x);
    case Op::reciprocal:
      return x.is_zero() ? std::nullopt : Value(x.inverse());
    case Op::sqrt:
      return root(x);
    case Op::rsqrt:
      return root(x).inverse();
    case Op::exp:
      return exponential(x);
    case Op::exp2:
      return exponential(x.times(Rational::number(std::numbers::ln2)));
    case Op::expm1: {
      const Value value = exponential(x);
      return value ? Value(value->plus(one, -1)) : std::nullopt;
    }
    case Op::log:
      return logarithm(x);
    case Op::log2:
      return scaled_log(std::numbers::ln2);
    case Op::log10:
      return scaled_log(std::numbers::ln10);
    case Op::log1p:
      return logarithm(one_plus(x));
    case Op::sin:
      return sine(x);
    case Op::cos:
      return cosine(x);
    case Op::tan:
      return sine(x).times(cosine(x).inverse());
    case Op::erfc:
      return one_plus(named("erf " + x.key()), -1);
    case Op::abs:
      return signed_by(x, x, negative(x));
    case Op::sign:
      return signed_by(x, one, negative(one));
    case Op::relu:
      return signed_by(x, x, Rational());
    case Op::sigmoid:
    case Op::tanh:
    case Op::sinh:
    case Op::cosh:
      return of_exponential(node.op, x);
    default:
      return named(std::string(element_op_name(node.op)) + " " + x.key());
  }
}

// Functions that are quotients of exponentials.
std::optional<Rational> NormalForm::of_exponential(ElementOp op, const Rational& x) {
  const Value e = exponential(x);
  if (!e) return std::nullopt;
  const Rational inverse = e->inverse();
  if (op == Op::sigmoid) return one_plus(inverse).inverse();
  if (op == Op::tanh) return e->plus(inverse, -1).times(e->plus(inverse).inverse());
  return e->plus(inverse, op == Op::sinh ? -1 : 1).times(Rational::number(0.5));
}

std::optional<Rational> NormalForm::function(const ElementNode& node, const Rational& x,
                                             const Rational& y) {
  const Rational difference = x.plus(y, -1);
  switch (node.op) {
    case Op::pow:
      return power(x, y);
    case Op::hypot:
      return root(x.times(x).plus(y.times(y)));
    case Op::maximum:
      return signed_by(difference, x, y);
    case Op::minimum:
      return signed_by(difference, y, x);
    case Op::floor_div:
    case Op::trunc_div:
    case Op::remainder:
    case Op::fmod: {
      if (y.is_zero()) return std::nullopt;
      const bool floors = node.op == Op::floor_div || node.op == Op::remainder;
      const Rational steps = named((floors ? "floor " : "trunc ") + x.times(y.inverse()).key());
      const bool quotient = node.op == Op::floor_div || node.op == Op::trunc_div;
      return quotient ? steps : x.plus(steps.times(y), -1);
    }
    default:
      return named(std::string(element_op_name(node.op)) + " " + x.key() + ", " + y.key());
  }
}

std::optional<bool> NormalForm::condition(const ElementNode& node) {
  switch (node.op) {
    case Op::literal:
      return node.number != 0;
    case Op::has_value:
      return choice(fmt::format("given {}", node.index));
    case Op::string_equals:
      return choice(fmt::format("text {} {}", node.index, node.text));
    case Op::argument:
      return choice(fmt::format("truth {}", node.index));
    case Op::isnan:
    case Op::isinf:
      return false;
    case Op::isfinite:
      return true;
    case Op::logical_not: {
      const auto truth = condition(node.operand(0));
      return truth ? std::optional(!*truth) : std::nullopt;
    }
    case Op::logical_and:
    case Op::logical_or: {
      const bool decisive = node.op == Op::logical_or;
      const auto first = condition(node.operand(0));
      if (first == decisive) return decisive;
      const auto second = condition(node.operand(1));
      return second == decisive || first ? second : std::nullopt;
    }
    default:
      return comparison(node);
  }
}

// Equality of elements is what single points have; parameters are often equal.
std::optional<bool> NormalForm::comparison(const ElementNode& node) {
  const Value x = of(node.operand(0));
  if (!x) return std::nullopt;
  Rational difference = *x;
  if (node.operands.size() == 2) {
    const Value y = of(node.operand(1));
    if (!y) return std::nullopt;
    difference = x->plus(*y, -1);
  }
  switch (node.op) {
    case Op::less:
    case Op::less_equal:
      return is_positive(negative(difference));
    case Op::greater:
    case Op::greater_equal:
      return is_positive(difference);
    default:
      break;
  }
  const bool equality = node.op == Op::equal;
  if (const auto value = difference.as_number()) return (*value == 0) == equality;
  const bool single_points = !node.uniform && node.op != Op::to_boolean;
  const auto zero = single_points ? std::optional(false) : choice("zero " + difference.key());
  return zero ? std::optional(*zero == equality) : std::nullopt;
}

std::optional<Rational> NormalForm::reduced(const Rational& value) {
  const Value above = reduced(value.above()), below = reduced(value.below());
  if (!above || !below || below->is_zero()) return std::nullopt;
  return above->times(below->inverse());
}

std::optional<Rational> NormalForm::reduced(const Polynomial& value) {
  Rational sum;
  for (const auto& [monomial, coefficient] : value.terms()) {
    Rational term = Rational::number(coefficient);
    for (const auto& [index, exponent] : monomial) {
      const Atom& of = known_[index];
      int left = exponent;
      if (of.kind == Atom::Kind::root) {
        left = ((exponent % 2) + 2) % 2;
        term = term.times(Rational(of.of).power((exponent - left) / 2));
      } else if (of.kind == Atom::Kind::sine && exponent > 1) {
        left = exponent % 2;
        const Rational cosine = Rational::atom(of.cosine);
        term = term.times(one_plus(cosine.times(cosine), -1).power(exponent / 2));
      }
      term = term.times(Rational::atom(index).power(left));
    }
    sum = sum.plus(term);
    if (sum.is_too_large()) return std::nullopt;
  }
  return sum;
}

}  // namespace opweave::codegen
