// Simplifying constructors.
#include "codegen/expr/element_algebra.h"

#include <cmath>
#include <utility>

#include "codegen/expr/folds.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

bool is_zero(const ElementNode* node) { return is_literal(*node, 0); }
bool is_one(const ElementNode* node) { return is_literal(*node, 1); }
// Whatever its operands are: numbers, absolute values, truth values as numbers, parameters of type
// `float`.
bool is_real(const ElementNode* node) {
  const bool number = node->op == Op::argument && node->needs_float;
  return number || node->op == Op::literal || node->op == Op::abs || node->op == Op::to_value;
}
bool conjugates_easily(const ElementNode* node) { return is_real(node) || node->op == Op::conj; }
bool is_select_with_zero(const ElementNode* node) {
  return node->op == Op::select && (is_zero(&node->operand(1)) || is_zero(&node->operand(2)));
}

}  // namespace

const ElementNode* ElementAlgebra::apply(ElementOp op, ElementArena::Operands operands) {
  switch (op) {
    case Op::add:
      return add(operands[0], operands[1]);
    case Op::subtract:
      return subtract(operands[0], operands[1]);
    case Op::multiply:
      return multiply(operands[0], operands[1]);
    case Op::divide:
      return divide(operands[0], operands[1]);
    case Op::negate:
      return negate(operands[0]);
    case Op::conj:
      return conjugate(operands[0]);
    case Op::select:
      return select(operands[0], operands[1], operands[2]);
    case Op::logical_and:
    case Op::logical_or:
      return logical(op, operands[0], operands[1]);
    case Op::pow:
      return power(operands[0], operands[1]);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
      return compare(op, operands);
    default:
      return arena_.apply(op, operands);
  }
}

const ElementNode* ElementAlgebra::number(double value) {
  bool is_integer = std::trunc(value) == value && std::fabs(value) < 0x1p53;
  return arena_.literal(value, !is_integer);
}

const ElementNode* ElementAlgebra::add(Node a, Node b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (is_literal(*a) && is_literal(*b)) return number(a->number + b->number);
  if (a == b) return multiply(number(2), a);
  if (b->op == Op::negate) return subtract(a, &b->operand(0));
  if (a->op == Op::negate) return subtract(b, &a->operand(0));
  return arena_.apply(Op::add, {a, b});
}

const ElementNode* ElementAlgebra::subtract(Node a, Node b) {
  if (is_zero(b)) return a;
  if (is_zero(a)) return negate(b);
  if (a == b) return number(0);
  if (is_literal(*a) && is_literal(*b)) return number(a->number - b->number);
  if (b->op == Op::negate) return add(a, &b->operand(0));
  if (a->op == Op::negate) return negate(add(&a->operand(0), b));
  return arena_.apply(Op::subtract, {a, b});
}

const ElementNode* ElementAlgebra::negate(Node a) {
  if (is_literal(*a)) return number(a->number == 0 ? 0 : -a->number);
  if (a->op == Op::negate) return &a->operand(0);
  if (a->op == Op::subtract) return subtract(&a->operand(1), &a->operand(0));
  bool scaled = (a->op == Op::multiply || a->op == Op::divide) && is_literal(a->operand(0));
  if (scaled) {
    Node factor = number(-a->operand(0).number);
    return a->op == Op::multiply ? multiply(factor, &a->operand(1))
                                 : divide(factor, &a->operand(1));
  }
  return arena_.apply(Op::negate, {a});
}

const ElementNode* ElementAlgebra::conjugate(Node a) {
  const auto part = [&](size_t i) { return conjugate(&a->operand(i)); };
  if (is_real(a)) return a;
  switch (a->op) {
    case Op::conj:
      return &a->operand(0);
    case Op::negate:
      return negate(part(0));
    case Op::select:
      return select(&a->operand(0), part(1), part(2));
    case Op::multiply:
    case Op::divide:
      if (!conjugates_easily(&a->operand(0)) && !conjugates_easily(&a->operand(1))) break;
      return a->op == Op::multiply ? multiply(part(0), part(1)) : divide(part(0), part(1));
    default:
      break;
  }
  return arena_.apply(Op::conj, {a});
}

// Keeps one number in front: 2 * (3 * x) is 6 * x.
const ElementNode* ElementAlgebra::multiply_by_number(Node factor, Node b) {
  if (is_literal(*b)) return number(factor->number * b->number);
  if (factor->number == -1) return negate(b);
  bool has_factor = (b->op == Op::multiply || b->op == Op::divide) && is_literal(b->operand(0));
  if (has_factor) {
    Node product = number(factor->number * b->operand(0).number);
    return b->op == Op::multiply ? multiply(product, &b->operand(1))
                                 : divide(product, &b->operand(1));
  }
  return arena_.apply(Op::multiply, {factor, b});
}

const ElementNode* ElementAlgebra::multiply(Node a, Node b) {
  if (is_zero(a) || is_zero(b)) return number(0);
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  if (a->op == Op::negate) return negate(multiply(&a->operand(0), b));
  if (b->op == Op::negate) return negate(multiply(a, &b->operand(0)));
  // A branch that is zero stays zero, whatever the other factor is there.
  if (is_select_with_zero(a)) std::swap(a, b);
  if (is_select_with_zero(b)) {
    return select(&b->operand(0), multiply(a, &b->operand(1)), multiply(a, &b->operand(2)));
  }
  if (is_literal(*b)) std::swap(a, b);
  if (is_literal(*a)) return multiply_by_number(a, b);
  if (b->op == Op::divide && is_one(&b->operand(0))) return divide(a, &b->operand(1));
  if (a->op == Op::divide && is_one(&a->operand(0))) return divide(b, &a->operand(1));
  if (a->op == Op::divide && &a->operand(1) == b) return &a->operand(0);
  if (b->op == Op::divide && &b->operand(1) == a) return &b->operand(0);
  return arena_.apply(Op::multiply, {a, b});
}

const ElementNode* ElementAlgebra::divide(Node a, Node b) {
  if (is_zero(a)) return a;
  if (is_one(b)) return a;
  if (a == b) return number(1);
  if (is_literal(*a) && is_literal(*b) && b->number != 0) return number(a->number / b->number);
  if (a->op == Op::negate) return negate(divide(&a->operand(0), b));
  if (b->op == Op::negate) return negate(divide(a, &b->operand(0)));
  if (is_literal(*b, 2) || is_literal(*b, 4)) return multiply(number(1 / b->number), a);
  if (is_select_with_zero(a)) {
    return select(&a->operand(0), divide(&a->operand(1), b), divide(&a->operand(2), b));
  }
  if (a->op == Op::multiply && &a->operand(1) == b) return &a->operand(0);
  if (a->op == Op::multiply && &a->operand(0) == b) return &a->operand(1);
  return arena_.apply(Op::divide, {a, b});
}

const ElementNode* ElementAlgebra::select(Node condition, Node then, Node otherwise) {
  if (is_literal(*condition)) return condition->number != 0 ? then : otherwise;
  if (then->op == Op::select && &then->operand(0) == condition) then = &then->operand(1);
  if (otherwise->op == Op::select && &otherwise->operand(0) == condition) {
    otherwise = &otherwise->operand(2);
  }
  if (then == otherwise) return then;
  return arena_.apply(Op::select, {condition, then, otherwise});
}

const ElementNode* ElementAlgebra::sum(Node a, AxisMask over) {
  if (over == 0 || is_zero(a)) return a;
  const AxisMask same = over & ~a->axes;
  if (same != 0) return multiply(arena_.extent(same), sum(a, over & a->axes));
  const auto is_factor = [&](const ElementNode& node) { return (node.axes & over) == 0; };
  // Over rows only what is a number for all of them, and part of no row's own.
  const bool splits = over == kFoldedAxes;
  if (splits && a->op == Op::negate) return negate(sum(&a->operand(0), over));
  if (splits && a->op == Op::multiply) {
    for (const size_t i : {0, 1}) {
      if (is_factor(a->operand(i))) return multiply(&a->operand(i), sum(&a->operand(1 - i), over));
    }
  }
  if (splits && a->op == Op::divide && is_factor(a->operand(1)))
    return divide(sum(&a->operand(0), over), &a->operand(1));
  return arena_.fold(static_cast<uint16_t>(FoldKind::sum), {&a, 1}, over);
}

const ElementNode* ElementAlgebra::logical(ElementOp op, Node a, Node b) {
  bool absorbing = op == Op::logical_or;
  for (auto [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (is_literal(*one)) return (one->number != 0) == absorbing ? one : other;
  }
  return arena_.apply(op, {a, b});
}

const ElementNode* ElementAlgebra::power(Node a, Node b) {
  if (is_zero(b)) return number(1);
  if (is_one(b)) return a;
  if (is_literal(*b, -1)) return divide(number(1), a);
  return arena_.apply(Op::pow, {a, b});
}

const ElementNode* ElementAlgebra::compare(ElementOp op, ElementArena::Operands operands) {
  const ElementNode& a = *operands[0];
  const ElementNode& b = *operands[1];
  if (!is_literal(a) || !is_literal(b)) return arena_.apply(op, operands);
  switch (op) {
    case Op::less:
      return arena_.boolean(a.number < b.number);
    case Op::less_equal:
      return arena_.boolean(a.number <= b.number);
    case Op::greater:
      return arena_.boolean(a.number > b.number);
    case Op::greater_equal:
      return arena_.boolean(a.number >= b.number);
    case Op::equal:
      return arena_.boolean(a.number == b.number);
    default:
      return arena_.boolean(a.number != b.number);
  }
}

}  // namespace opweave::codegen
