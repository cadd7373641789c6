// The notation of each operation.
#include "codegen/math/element_math.h"

#include <algorithm>
#include <cmath>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;
using Kind = MathKind;

// `log_2` with an index, `erf^-1` with a power.
Math function_name(const Intrinsic& intrinsic) {
  const std::string text(intrinsic.math);
  const size_t mark = text.find_first_of("_^");
  if (mark == std::string::npos) return make_math(Kind::name, text);
  const std::string behind = text.substr(mark + 1);
  return make_math(text[mark] == '_' ? Kind::index : Kind::power,
                   {make_math(Kind::name, text.substr(0, mark)), math_number(std::stod(behind))});
}

std::string_view relation_sign(Op op) {
  switch (op) {
    case Op::less_equal:
      return "≤";
    case Op::greater_equal:
      return "≥";
    case Op::equal:
      return "=";
    case Op::not_equal:
      return "≠";
    default:
      return op == Op::less ? "<" : ">";
  }
}

// What holds where this relation does not, numbers being numbers.
Op opposite(Op op) { return op == Op::equal ? Op::not_equal : Op::equal; }

Math one_more(Math of, bool one_first) {
  Math one = make_math(Kind::number, "1");
  return one_first ? make_math(Kind::sum, {std::move(one), std::move(of)})
                   : make_math(Kind::sum, {std::move(of), std::move(one)});
}

// Factors above and below the line of a fraction.
struct Quotient {
  std::vector<Math> above, below;

  void multiply(Math factor) {
    if (factor->kind == Kind::fraction) {
      multiply(factor->parts[0]);
      below.push_back(factor->parts[1]);
    } else if (factor->kind == Kind::product) {
      above.insert(above.end(), factor->parts.begin(), factor->parts.end());
    } else if (factor->kind != Kind::number || factor->text != "1") {
      above.push_back(std::move(factor));
    }
  }

  static Math joined(std::vector<Math> factors) {
    if (factors.empty()) return make_math(Kind::number, "1");
    return factors.size() == 1 ? factors[0] : make_math(Kind::product, std::move(factors));
  }
  Math value() {
    Math numerator = joined(std::move(above));
    if (below.empty()) return numerator;
    return make_math(Kind::fraction, {std::move(numerator), joined(std::move(below))});
  }
};

bool same(const Math& a, const Math& b) { return math_text(*a) == math_text(*b); }

// Neighbours of the same value become one.
void merge_cases(std::vector<Math>& parts) {
  while (parts.size() > 1 && same(parts.back(), parts[parts.size() - 3])) {
    parts.erase(parts.end() - 3, parts.end() - 1);
  }
  for (size_t i = 0; i + 4 < parts.size();) {
    if (!same(parts[i], parts[i + 2])) {
      i += 2;
      continue;
    }
    parts[i + 1] = make_math(Kind::either, {parts[i + 1], parts[i + 3]});
    parts.erase(parts.begin() + i + 2, parts.begin() + i + 4);
  }
}

bool has_terms(const ElementNode& node) {
  switch (node.op) {
    case Op::multiply:
    case Op::divide:
    case Op::negate:
    case Op::reciprocal:
    case Op::square:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::literal:
      return node.type == ElementType::value;
    case Op::pow:
      return true;
    default:
      return is_sum(node);
  }
}

}  // namespace

Math ElementMath::write(const ElementNode& node) const {
  if (is_literal(node) && node.type == ElementType::boolean)
    return make_math(Kind::words, node.number != 0 ? "true" : "false");
  if (is_literal(node)) return math_number(node.number);
  if (is_sum(node)) return sum(node);
  if (node.op == Op::pow && product_of(node, tidy_).factors.size() == 1 &&
      product_of(node, tidy_).factors[0].base == &node) {
    return make_math(Kind::power, {write(node.operand(0)), write(node.operand(1))});
  }
  if (has_terms(node)) return product(product_of(node, tidy_));
  switch (node.op) {
    case Op::argument:
      return names_(node.index);
    case Op::has_value:
      return make_math(Kind::relation, "≠", {names_(node.index), make_math(Kind::words, "none")});
    case Op::string_equals:
      return make_math(Kind::relation, "=",
                       {names_(node.index), make_math(Kind::quote, std::string(node.text))});
    case Op::to_value:
      return make_math(Kind::truth, {write(node.operand(0))});
    case Op::to_boolean:
      return make_math(Kind::relation, "≠", {write(node.operand(0)), make_math(Kind::number, "0")});
    case Op::select:
      return cases(node);
    default:
      return function(node);
  }
}

Math ElementMath::sum(const ElementNode& node) const {
  std::vector<Product> terms = terms_of(node, tidy_);
  Product outside;
  if (tidy_ == Tidy::yes) outside = take_common(terms);
  std::vector<Math> parts;
  for (const Product& term : terms) {
    Math part = product(term);
    if (part->kind == Kind::sum) {
      parts.insert(parts.end(), part->parts.begin(), part->parts.end());
    } else {
      parts.push_back(std::move(part));
    }
  }
  Math inside = parts.size() == 1 ? parts[0] : make_math(Kind::sum, std::move(parts));
  if (outside == Product()) return inside;
  Math factors = product(outside);
  Quotient quotient;
  quotient.multiply(factors);
  quotient.above.push_back(std::move(inside));
  return quotient.value();
}

Math ElementMath::factor(const Factor& factor) const {
  // The sign of a number is the product's.
  const bool constant = is_literal(*factor.base) && !factor.root;
  const double value =
      constant ? std::pow(std::fabs(factor.base->number), std::abs(factor.exponent)) : 0;
  if (constant && is_plain_number(value)) return math_number(value);
  Math base = constant ? math_number(std::fabs(factor.base->number)) : write(*factor.base);
  if (factor.root) base = make_math(Kind::root, {std::move(base)});
  const int exponent = std::abs(factor.exponent);
  if (exponent == 1) return base;
  return make_math(Kind::power, {std::move(base), math_number(exponent)});
}

Math ElementMath::product(const Product& product) const {
  Quotient quotient;
  double sign = product.coefficient < 0 ? -1 : 1;
  Math number = math_number(std::fabs(product.coefficient));
  const bool alone = std::ranges::all_of(
      product.factors, [](const Factor& f) { return f.exponent > 0 && !is_literal(*f.base); });
  // A half of something long stands before it, of something short below it.
  if (number->kind == Kind::fraction && alone && product.factors.size() > 1) {
    quotient.above.push_back(number);
  } else {
    quotient.multiply(number);
  }
  for (const Factor& f : product.factors) {
    const bool constant = is_literal(*f.base) && !f.root;
    if (constant && f.base->number < 0 && f.exponent % 2 != 0) sign = -sign;
    if (f.exponent < 0) {
      quotient.below.push_back(factor(f));
    } else {
      quotient.multiply(factor(f));
    }
  }
  Math value = quotient.value();
  return sign < 0 ? make_math(Kind::minus, {value}) : value;
}

Math ElementMath::relation(const ElementNode& node, std::string_view symbol) const {
  return make_math(Kind::relation, std::string(symbol),
                   {write(node.operand(0)), write(node.operand(1))});
}

Math ElementMath::cases(const ElementNode& node) const {
  std::vector<Math> parts;
  const ElementNode* rest = &node;
  for (; rest->op == Op::select; rest = &rest->operand(2)) {
    parts.push_back(write(rest->operand(1)));
    parts.push_back(write(rest->operand(0)));
  }
  parts.push_back(write(*rest));
  if (tidy_ == Tidy::yes) merge_cases(parts);
  return parts.size() == 1 ? parts[0] : make_math(Kind::cases, std::move(parts));
}

Math ElementMath::negation(const ElementNode& condition) const {
  if (condition.op == Op::equal || condition.op == Op::not_equal)
    return relation(condition, relation_sign(opposite(condition.op)));
  if (condition.op == Op::to_boolean)
    return make_math(Kind::relation, "=",
                     {write(condition.operand(0)), make_math(Kind::number, "0")});
  if (condition.op == Op::has_value)
    return make_math(Kind::relation, "=",
                     {names_(condition.index), make_math(Kind::words, "none")});
  return make_math(Kind::negated, {write(condition)});
}

Math ElementMath::function(const ElementNode& node) const {
  std::vector<Math> parts;
  for (const ElementNode* operand : node.operands) parts.push_back(write(*operand));
  const auto all = [&](Kind kind) { return make_math(kind, std::move(parts)); };
  const auto infix = [&](const char* sign) {
    return make_math(Kind::infix, sign, std::move(parts));
  };
  switch (node.op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
      return relation(node, relation_sign(node.op));
    case Op::logical_and:
      return all(Kind::both);
    case Op::logical_or:
      return all(Kind::either);
    case Op::logical_not:
      return negation(node.operand(0));
    case Op::abs:
      return all(Kind::absolute);
    case Op::conj:
      return all(Kind::overline);
    case Op::floor:
      return all(Kind::floor);
    case Op::ceil:
      return all(Kind::ceiling);
    case Op::floor_div:
      return make_math(Kind::floor, {all(Kind::fraction)});
    case Op::trunc_div:
      return make_math(Kind::call, {make_math(Kind::name, "trunc"), all(Kind::fraction)});
    case Op::remainder:
      return infix("mod");
    case Op::exp2:
      return make_math(Kind::power, {make_math(Kind::number, "2"), parts[0]});
    case Op::expm1:
      if (tidy_ == Tidy::yes) break;  // a name reads better in something longer
      return make_math(Kind::sum, {make_math(Kind::call, {make_math(Kind::name, "exp"), parts[0]}),
                                   make_math(Kind::minus, {make_math(Kind::number, "1")})});
    case Op::log1p:
      return make_math(Kind::call, {make_math(Kind::name, "ln"), one_more(parts[0], true)});
    default:
      break;
  }
  const Intrinsic& intrinsic = *find_intrinsic(node.op);
  if (!intrinsic.symbol.empty()) {
    if (parts.size() == 2) return make_math(Kind::infix, std::string(intrinsic.symbol), parts);
    return make_math(Kind::call, {make_math(Kind::name, std::string(intrinsic.symbol)), parts[0]});
  }
  parts.insert(parts.begin(), function_name(intrinsic));
  return all(Kind::call);
}

}  // namespace opweave::codegen
