// Normal forms by the operations of trees.
#include "codegen/proof/normal_form.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

std::optional<int> small_integer(double value) {
  const bool small = std::fabs(value) <= 16 && value == std::round(value);
  return small ? std::optional(static_cast<int>(std::lround(value))) : std::nullopt;
}

Rational negative(const Rational& x) { return Rational().plus(x, -1); }
Rational one_plus(const Rational& x, double factor = 1) {
  return Rational::number(1).plus(x, factor);
}

bool is_nonzero_number(const ElementNode& node) { return is_literal(node) && node.number != 0; }

}  // namespace

// Of an infinite operand it is infinite or nan, too.
bool NormalForm::stays_infinite(const ElementNode& node) {
  switch (node.op) {
    case Op::divide:
      return of(node.operand(1)).state == State::finite;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::negate:
    case Op::conj:
    case Op::square:
    case Op::abs:
    case Op::sqrt:
    case Op::log:
    case Op::log2:
    case Op::log10:
    case Op::log1p:
    case Op::hypot:
    case Op::to_value:
      return true;
    default:
      return false;
  }
}

const NormalValue& NormalForm::of(const ElementNode& node) {
  if (auto known = done_.find(&node); known != done_.end()) return known->second;
  NormalValue made = make(node);
  if (made.state == State::finite && made.value.is_too_large()) made.state = State::unread;
  return done_.emplace(&node, std::move(made)).first->second;
}

NormalValue NormalForm::make(const ElementNode& node) {
  if (node.type == ElementType::boolean) {
    const auto truth = condition(node);
    if (!truth) return {};
    return {State::finite, Rational::number(*truth ? 1 : 0)};
  }
  switch (node.op) {
    case Op::literal:
      if (std::isnan(node.number)) return {State::nan, {}, &node};
      if (std::isinf(node.number)) return {State::infinite, {}, &node};
      return {State::finite, Rational::number(node.number)};
    case Op::argument:
      return {State::finite, Rational::atom(atom(fmt::format("argument {}", node.index),
                                                 {.kind = NormalAtom::Kind::argument,
                                                  .of = {},
                                                  .argument = &node,
                                                  .uniform = node.uniform}))};
    case Op::select:
      return selected(node);
    default:
      return operation(node);
  }
}

NormalValue NormalForm::selected(const ElementNode& node) {
  const auto truth = condition(node.operand(0));
  return truth ? of(node.operand(*truth ? 1 : 2)) : NormalValue();
}

NormalValue NormalForm::operation(const ElementNode& node) {
  State state = State::finite;
  const ElementNode* at = nullptr;
  for (const ElementNode* operand : node.operands) {
    const NormalValue& x = of(*operand);
    if (x.state == State::unread) return {};
    // The worse: nan, infinite, finite.
    const bool worse = x.state != State::finite && (state == State::finite || x.state < state);
    if (!worse) continue;
    state = x.state;
    at = x.at;
  }
  // pow(nan, 0) is 1.
  const bool may_be_one = node.op == Op::pow && !is_nonzero_number(node.operand(1));
  if (state == State::nan && !may_be_one) return {state, {}, at};
  if (state != State::finite)
    return stays_infinite(node) ? NormalValue{state, {}, at} : unclear(node, at);
  const Rational& x = of(node.operand(0)).value;
  const Rational& y = of(*node.operands.back()).value;
  state = finiteness(node, x, y);
  if (state != State::finite) return {state, {}, &node};
  const Value value = arithmetic(node, x, y);
  return value ? NormalValue{State::finite, *value} : NormalValue();
}

// Of something infinite: finite or not, and the same wherever the tree stands.
NormalValue NormalForm::unclear(const ElementNode& node, const ElementNode* at) {
  const std::string key = key_of(node, 0);
  const auto finite = decisions_.truth("finite " + key);
  if (!finite) return {};
  if (!*finite) return {State::infinite, {}, at};
  return {State::finite, named("node " + key, node.uniform)};
}

// The same for trees of which the finite parts are equal.
std::string NormalForm::key_of(const ElementNode& node, int depth) {
  constexpr int kMaxDepth = 8;
  const auto known = done_.find(&node);
  const bool finite = known != done_.end() && known->second.state == State::finite;
  if (finite) return known->second.value.key();
  if (node.op == Op::select || node.operands.empty() || depth > kMaxDepth)
    return fmt::format("tree {}", node.id);
  std::string key(element_op_name(node.op));
  for (const ElementNode* operand : node.operands) key += " (" + key_of(*operand, depth + 1) + ")";
  return key;
}

std::optional<Rational> NormalForm::arithmetic(const ElementNode& node, const Rational& x,
                                               const Rational& y) {
  if (node.operands.size() == 1) return function(node, x);
  switch (node.op) {
    case Op::add:
      return x.plus(y);
    case Op::subtract:
      return x.plus(y, -1);
    case Op::multiply:
      return x.times(y);
    case Op::divide:
      return x.times(y.inverse());
    default:
      return function(node, x, y);
  }
}

Rational NormalForm::named(const std::string& key, bool uniform, NormalAtom::Kind kind) {
  return Rational::atom(atom(key, {.kind = kind, .of = {}, .uniform = uniform}));
}

Rational NormalForm::logarithm(const Rational& x) {
  return Rational::atom(atom(
      "log " + x.key(), {.kind = NormalAtom::Kind::log, .of = x, .uniform = atoms_.is_uniform(x)}));
}

Rational NormalForm::root(const Rational& x) {
  return Rational::atom(
      atom("sqrt " + x.key(),
           {.kind = NormalAtom::Kind::root, .of = x, .uniform = atoms_.is_uniform(x)}));
}

Rational NormalForm::cosine(const Rational& x) {
  return named("cos " + x.key(), atoms_.is_uniform(x));
}

Rational NormalForm::sine(const Rational& x) {
  const bool uniform = atoms_.is_uniform(x);
  const int cosine = atom("cos " + x.key(), {.of = {}, .uniform = uniform});
  return Rational::atom(
      atom("sin " + x.key(),
           {.kind = NormalAtom::Kind::sine, .of = {}, .cosine = cosine, .uniform = uniform}));
}

// The exponential of a sum is the product of those of its terms; exp(n * log(x)) is a power of x.
std::optional<Rational> NormalForm::exponential(const Rational& x) {
  const auto named_exp = [&](const Rational& of) {
    return named("exp " + of.key(), atoms_.is_uniform(of), NormalAtom::Kind::exponential);
  };
  if (!x.below().as_number()) {
    const bool negate = x.above().terms().begin()->second < 0;
    const Rational value = named_exp(negate ? negative(x) : x);
    return negate ? value.inverse() : value;
  }
  Rational product = Rational::number(1);
  for (const auto& [monomial, coefficient] : x.above().terms()) {
    const auto whole = small_integer(coefficient);
    const bool single = monomial.size() == 1 && monomial[0].second == 1;
    if (whole && single && atoms_[monomial[0].first].kind == NormalAtom::Kind::log) {
      product = product.times(Rational(atoms_[monomial[0].first].of).power(*whole));
      continue;
    }
    const double size = whole ? 1 : std::fabs(coefficient);
    const Rational term = Rational::polynomial(Polynomial::number(size).times(monomial, 1));
    const int exponent = whole ? *whole : (coefficient < 0 ? -1 : 1);
    product = product.times(named_exp(term).power(exponent));
  }
  return product;
}

// Where it is finite. Of a negative x and a whole y the logarithm is a name only: what is said of
// its multiples holds for powers of x.
std::optional<Rational> NormalForm::power(const Rational& x, const Rational& y) {
  if (const auto exponent = y.as_number()) {
    if (const auto whole = small_integer(*exponent)) return x.power(*whole);
    if (const auto halves = small_integer(2 * *exponent)) return root(x).power(*halves);
  }
  if (!x.is_zero()) return exponential(y.times(logarithm(x)));
  const auto one = sign(y, {kZero, kNonzero});
  return one ? Value(Rational::number(*one == kZero ? 1 : 0)) : std::nullopt;
}

std::optional<Rational> NormalForm::function(const ElementNode& node, const Rational& x) {
  const Rational one = Rational::number(1);
  const auto scaled_log = [&](double base) {
    return logarithm(x).times(Rational::number(1 / base));
  };
  switch (node.op) {
    case Op::negate:
      return negative(x);
    case Op::to_value:
      return x;
    case Op::conj:
      return conjugated(x.above()).times(conjugated(x.below()).inverse());
    case Op::square:
      return x.times(x);
    case Op::reciprocal:
      return x.inverse();
    case Op::sqrt:
      return root(x);
    case Op::rsqrt:
      return root(x).inverse();
    case Op::exp:
      return exponential(x);
    case Op::exp2:
      return exponential(x.times(Rational::number(std::numbers::ln2)));
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
      return one_plus(named("erf " + x.key(), atoms_.is_uniform(x)), -1);
    case Op::abs:
      return signed_by(x, x, negative(x));
    case Op::sign: {
      const auto sign = this->sign(x, {kPositive, kNegative, kZero});
      if (!sign) return std::nullopt;
      return *sign == kZero ? Rational() : *sign == kPositive ? one : negative(one);
    }
    case Op::relu:
      return signed_by(x, x, Rational());
    case Op::expm1:
    case Op::sigmoid:
    case Op::tanh:
    case Op::sinh:
    case Op::cosh:
      return of_exponential(node.op, x);
    default:
      return named(std::string(element_op_name(node.op)) + " " + x.key(), atoms_.is_uniform(x));
  }
}

// Functions that are quotients of exponentials.
std::optional<Rational> NormalForm::of_exponential(ElementOp op, const Rational& x) {
  const Value e = exponential(x);
  if (!e) return std::nullopt;
  if (op == Op::expm1) return e->plus(Rational::number(1), -1);
  const Rational inverse = e->inverse();
  if (op == Op::sigmoid) return one_plus(inverse).inverse();
  if (op == Op::tanh) return e->plus(inverse, -1).times(e->plus(inverse).inverse());
  return e->plus(inverse, op == Op::sinh ? -1 : 1).times(Rational::number(0.5));
}

std::optional<Rational> NormalForm::function(const ElementNode& node, const Rational& x,
                                             const Rational& y) {
  const Rational difference = x.plus(y, -1);
  const bool uniform = atoms_.is_uniform(x) && atoms_.is_uniform(y);
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
      const bool floors = node.op == Op::floor_div || node.op == Op::remainder;
      const Rational quotient = x.times(y.inverse());
      const Rational steps = named((floors ? "floor " : "trunc ") + quotient.key(), uniform);
      const bool is_quotient = node.op == Op::floor_div || node.op == Op::trunc_div;
      return is_quotient ? steps : x.plus(steps.times(y), -1);
    }
    default:
      return named(std::string(element_op_name(node.op)) + " " + x.key() + ", " + y.key(), uniform);
  }
}

// That of a sum is the sum of those of its parts, and the same of a product.
Rational NormalForm::conjugated(const Polynomial& value) {
  Rational sum;
  for (const auto& [monomial, coefficient] : value.terms()) {
    Rational term = Rational::number(coefficient);
    for (const auto& [index, exponent] : monomial) {
      NormalAtom made;
      made.uniform = atoms_[index].uniform;
      made.conjugate = index;
      const int known = atoms_[index].conjugate;
      const int other = known >= 0 ? known : atom("conj " + std::to_string(index), made);
      term = term.times(Rational::atom(other).power(exponent));
    }
    sum = sum.plus(term);
  }
  return sum;
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
      const NormalAtom& of = atoms_[index];
      int left = exponent;
      if (of.kind == NormalAtom::Kind::root) {
        left = ((exponent % 2) + 2) % 2;
        term = term.times(Rational(of.of).power((exponent - left) / 2));
      } else if (of.kind == NormalAtom::Kind::sine && exponent > 1) {
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
