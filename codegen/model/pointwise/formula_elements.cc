// The conversion, by the kinds of formula nodes.
#include "codegen/model/pointwise/formula_elements.h"

#include <algorithm>
#include <utility>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

bool is_none(const FormulaNode& node) {
  if (node.kind == FormulaKind::convert) return node.conversion == Conversion::none_to_tensor;
  return node.kind == FormulaKind::constant && node.constant->kind == Constant::Kind::none;
}

bool is_text(const FormulaNode& node) {
  return node.type.base == BaseType::string && !node.type.list;
}

}  // namespace

const ElementNode* FormulaElements::convert(const FormulaNode& node) {
  switch (node.kind) {
    case FormulaKind::argument:
      return argument(node);
    case FormulaKind::gradient:
      if (node.index > 0 || node.type.list) return make_opaque(node);
      return arena_.argument(kGradIndex, ElementType::value, false, false);
    case FormulaKind::result:
      if (node.index > 0 || node.type.list) return make_opaque(node);
      return arena_.argument(kResultIndex, ElementType::value, false, false);
    case FormulaKind::constant:
      return constant(node);
    case FormulaKind::unary:
    case FormulaKind::binary:
      return arithmetic(node);
    case FormulaKind::conditional:
      return conditional(node);
    case FormulaKind::named:
      return convert(node.operand(0));
    case FormulaKind::convert:
      if (!has_elements(node.operand(0).type)) return make_opaque(node);
      return convert(node.operand(0));
    case FormulaKind::property:
      if (node.property == Property::has_value || node.property == Property::defined) {
        const ElementActual of = actual(node.operand(0));
        if (of.optional_argument >= 0)
          return arena_.has_value(static_cast<uint16_t>(of.optional_argument));
      }
      return make_opaque(node);
    case FormulaKind::call:
      return call(node);
    default:
      return make_opaque(node);
  }
}

const ElementNode* FormulaElements::make_opaque(const FormulaNode& node) {
  auto known = std::ranges::find(opaque_, &node);
  const auto index = static_cast<uint16_t>(kFirstOpaque + (known - opaque_.begin()));
  if (known == opaque_.end()) opaque_.push_back(&node);
  const bool boolean = node.type.base == BaseType::boolean && !node.type.list;
  return arena_.argument(index, boolean ? ElementType::boolean : ElementType::value,
                         !node.type.is_tensor_like(), false);
}

const ElementNode* FormulaElements::argument(const FormulaNode& node) {
  if (actuals_ != nullptr) {
    const ElementActual& given = (*actuals_)[node.index];
    return given.node != nullptr ? given.node : make_opaque(node);
  }
  const Type& type = schema_->arguments[node.index].type;
  if (!has_elements(type)) return make_opaque(node);
  const bool boolean = type.base == BaseType::boolean;
  return arena_.argument(node.index, boolean ? ElementType::boolean : ElementType::value,
                         !type.is_tensor(), type.base == BaseType::floating);
}

const ElementNode* FormulaElements::constant(const FormulaNode& node) {
  const Constant& value = *node.constant;
  switch (value.kind) {
    case Constant::Kind::boolean:
      return arena_.boolean(value.boolean);
    case Constant::Kind::integer:
    case Constant::Kind::real:
      return arena_.literal(value.real, value.kind == Constant::Kind::real);
    default:
      return make_opaque(node);
  }
}

const ElementNode* FormulaElements::arithmetic(const FormulaNode& node) {
  const Intrinsic* intrinsic = find_intrinsic_symbol(node.symbol, node.operands.size());
  const bool readable =
      intrinsic != nullptr && std::ranges::all_of(node.operands, [](const FormulaNode* operand) {
        return has_elements(operand->type);
      });
  if (!readable) return make_opaque(node);
  std::vector<Node> operands;
  for (const FormulaNode* operand : node.operands) {
    Node value = convert(*operand);
    operands.push_back(intrinsic->operand == ElementType::boolean ? arena_.as_boolean(value)
                                                                  : arena_.as_value(value));
  }
  const bool is_number = intrinsic->op == ElementOp::negate && is_literal(*operands[0]);
  if (is_number) return arena_.literal(-operands[0]->number, operands[0]->is_float);
  return arena_.apply(intrinsic->op, operands);
}

const ElementNode* FormulaElements::conditional(const FormulaNode& node) {
  if (!has_elements(node.operand(1).type) || !has_elements(node.operand(2).type))
    return make_opaque(node);
  Node condition = arena_.as_boolean(convert(node.operand(0)));
  return arena_.apply(ElementOp::select, {condition, arena_.as_value(convert(node.operand(1))),
                                          arena_.as_value(convert(node.operand(2)))});
}

ElementActual FormulaElements::actual(const FormulaNode& node) {
  ElementActual actual;
  if (is_none(node)) {
    actual.none = true;
    return actual;
  }
  if (node.kind == FormulaKind::convert || node.kind == FormulaKind::named)
    return this->actual(node.operand(0));
  if (node.kind == FormulaKind::argument) {
    if (actuals_ != nullptr) return (*actuals_)[node.index];
    const Type& type = schema_->arguments[node.index].type;
    if (type.optional) actual.optional_argument = node.index;
    if (is_text(node)) actual.string_argument = node.index;
  }
  if (is_text(node)) {
    actual.is_string = true;
    if (node.kind == FormulaKind::constant) actual.string = node.constant->string;
    return actual;
  }
  if (has_elements(node.type)) actual.node = convert(node);
  return actual;
}

// Whether a call of an `expr` operator is put in.
bool FormulaElements::is_readable(const FormulaNode& node) const {
  if (depth_ == Depth::whole || node.op->is_generated()) return true;
  size_t given = 0;
  for (const FormulaNode* operand : node.operands) given += operand->is_default ? 0 : 1;
  // `self + alpha * other` is one operation where alpha is left out.
  return count_operations(*node.op->elements->expr) <= 1 + (node.operands.size() - given);
}

const ElementNode* FormulaElements::call(const FormulaNode& node) {
  static const Intrinsic& conjugate = *find_intrinsic(ElementOp::conj);
  if (node.op->name.full == operator_of(conjugate).name && has_elements(node.operand(0).type))
    return arena_.apply(conjugate.op, {arena_.as_value(convert(node.operand(0)))});
  const bool by_overload = depth_ == Depth::whole && node.op->forms->elements_of != nullptr;
  const Operator& op = by_overload ? *node.op->forms->elements_of : *node.op;
  const bool is_expr =
      op.is_expr() && op.forms->form == Form::functional && (by_overload || is_readable(node));
  const bool is_composite = op.formulas->composite != nullptr && depth_ == Depth::whole;
  if (!is_expr && !is_composite) return make_opaque(node);
  const size_t before = opaque_.size();
  Actuals given;
  for (const FormulaNode* operand : node.operands) given.push_back(actual(*operand));
  if (is_expr) {
    Node body = ElementInliner(arena_, given).inline_into(op.elements->expr);
    // A proof has to see what is not finite: 0 * log(x).
    if (depth_ == Depth::whole) return body;
    return ElementCopier(arena_, Simplify::yes).copy(*body);
  }
  const Actuals* outer = std::exchange(actuals_, &given);
  const Schema* outer_schema = std::exchange(schema_, &op.schema);
  Node value = convert(*op.formulas->composite);
  actuals_ = outer;
  schema_ = outer_schema;
  if (opaque_.size() == before) return value;
  opaque_.resize(before);
  return make_opaque(node);
}

}  // namespace opweave::codegen
