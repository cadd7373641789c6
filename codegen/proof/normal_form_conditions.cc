// What conditions are in one case of all decisions.
#include <fmt/format.h>

#include "codegen/proof/normal_form.h"

namespace opweave::codegen {

using Op = ElementOp;

std::optional<Signs> NormalForm::sign(const Rational& x, const Classes& classes) {
  const Value simpler = reduced(x);
  return decisions_.sign(simpler ? *simpler : x, classes);
}

// Where x is zero both are the same.
std::optional<Rational> NormalForm::signed_by(const Rational& x, const Rational& if_positive,
                                              const Rational& otherwise) {
  const auto found = sign(x, {kNotNegative, kNegative});
  if (!found) return std::nullopt;
  return *found == kNegative ? otherwise : if_positive;
}

std::optional<bool> NormalForm::condition(const ElementNode& node) {
  switch (node.op) {
    case Op::literal:
      return node.number != 0;
    case Op::has_value:
      return decisions_.truth(fmt::format("given {}", node.index));
    case Op::string_equals:
      return decisions_.truth(fmt::format("text {} {}", node.index, node.text));
    case Op::argument:
      return decisions_.truth(fmt::format("truth {}", node.index));
    case Op::isnan:
    case Op::isinf:
    case Op::isfinite:
      return about_finiteness(node);
    case Op::logical_not: {
      const auto truth = condition(node.operand(0));
      return truth ? std::optional(!*truth) : std::nullopt;
    }
    case Op::logical_and:
    case Op::logical_or:
      return conjunction(node);
    case Op::select: {
      const auto truth = condition(node.operand(0));
      return truth ? condition(node.operand(*truth ? 1 : 2)) : std::nullopt;
    }
    default:
      return comparison(node);
  }
}

std::optional<bool> NormalForm::conjunction(const ElementNode& node) {
  const bool decisive = node.op == Op::logical_or;
  const auto first = condition(node.operand(0));
  if (first == decisive) return decisive;
  const auto second = condition(node.operand(1));
  return second == decisive || first ? second : std::nullopt;
}

std::optional<bool> NormalForm::about_finiteness(const ElementNode& node) {
  const NormalValue& x = of(node.operand(0));
  if (x.state == NormalValue::State::unread) return std::nullopt;
  if (x.state == NormalValue::State::finite) return node.op == Op::isfinite;
  if (x.state == NormalValue::State::nan) return node.op == Op::isnan;
  return decisions_.truth(fmt::format("condition {}", node.id));
}

// Of nan it is false; of what is infinite, either.
std::optional<bool> NormalForm::comparison(const ElementNode& node) {
  using State = NormalValue::State;
  const auto is_any = [&](State state) {
    for (const ElementNode* operand : node.operands) {
      if (of(*operand).state == state) return true;
    }
    return false;
  };
  if (is_any(State::unread)) return std::nullopt;
  if (is_any(State::nan)) return node.op == Op::not_equal || node.op == Op::to_boolean;
  if (is_any(State::infinite)) return decisions_.truth(fmt::format("condition {}", node.id));
  const Rational& x = of(node.operand(0)).value;
  if (node.operands.size() == 1) return decided(Op::not_equal, x);
  return decided(node.op, x.plus(of(node.operand(1)).value, -1));
}

std::optional<bool> NormalForm::decided(ElementOp op, const Rational& difference) {
  const auto is = [&](Signs yes, Signs no) -> std::optional<bool> {
    const auto found = sign(difference, {yes, no});
    return found ? std::optional(*found == yes) : std::nullopt;
  };
  switch (op) {
    case Op::less:
      return is(kNegative, kNotNegative);
    case Op::less_equal:
      return is(kNotPositive, kPositive);
    case Op::greater:
      return is(kPositive, kNotPositive);
    case Op::greater_equal:
      return is(kNotNegative, kNegative);
    case Op::equal:
      return is(kZero, kNonzero);
    default:
      return is(kNonzero, kZero);
  }
}

}  // namespace opweave::codegen
