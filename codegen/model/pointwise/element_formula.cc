// From trees over elements to syntax over tensors, which the formula checker then types.
#include "codegen/model/pointwise/element_formula.h"

#include <fmt/format.h>

#include <cmath>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_extent.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
const FormulaNode* ElementFormula::rewrite(const Operator& op, const ElementNode& gradient) {
  op_ = &op;
  // A formula shares nothing: what is read twice is computed twice.
  constexpr size_t kMostCalls = 2'000;
  if (extent_of(gradient).operations > kMostCalls) return nullptr;
  const SyntaxNode* syntax = write(gradient);
  if (syntax == nullptr) return nullptr;
  FormulaScope scope;
  scope.schema = &op.schema;
  scope.op = &op;
  scope.is_derivative = true;
  const Type wanted = plain_type(BaseType::tensor);
  DiagnosticSink unheard;  // there is another way when this one fails
  return check_formula(*syntax, scope, {&wanted, 1}, storage_.formulas, environment_, unheard);
}

const SyntaxNode* ElementFormula::write(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::argument:
    case ElementOp::literal:
      return write_leaf(node);
    case ElementOp::has_value:
      return make(SyntaxKind::binary, "!=",
                  {make(SyntaxKind::identifier, name_of(node.index)),
                   make(SyntaxKind::identifier, "none")});
    case ElementOp::string_equals:
    case ElementOp::trunc_div:  // has no operator of two arguments
      return nullptr;
    case ElementOp::to_value: {  // to operators the sum of two truth values is one as well
      const bool converts = is_of_gradient() && !node.uniform;
      return converts ? converted(write(node.operand(0))) : write(node.operand(0));
    }
    case ElementOp::to_boolean: {
      const SyntaxNode* value = write(node.operand(0));
      return value ? make(SyntaxKind::binary, "!=", {value, make(SyntaxKind::number, "0")})
                   : nullptr;
    }
    case ElementOp::select:
      return write_select(node);
    default:
      return write_call(node);
  }
}

const SyntaxNode* ElementFormula::write_leaf(const ElementNode& node) {
  if (node.op == ElementOp::argument) {
    const SyntaxNode* value = make(SyntaxKind::identifier, name_of(node.index));
    const bool number = node.type != ElementType::boolean;
    return number && may_differ(node.index) ? converted(value) : value;
  }
  if (node.type == ElementType::boolean) {
    return make(SyntaxKind::identifier, node.number != 0 ? "true" : "false");
  }
  const std::string text = fmt::format("{}", std::abs(node.number));
  if (text.find_first_not_of("0123456789.e+-") != std::string::npos) return nullptr;  // inf, nan
  const SyntaxNode* number = make(SyntaxKind::number, storage_.texts.emplace_back(text));
  return std::signbit(node.number) ? make(SyntaxKind::unary, "-", {number}) : number;
}

// Operators over tensors compute in what their own operands promote to, where integers wrap, halves
// overflow and `log` of integers has the digits of float32; a kernel computes all of it in one
// dtype, which is that of the result.
const SyntaxNode* ElementFormula::converted(const SyntaxNode* value) {
  if (value == nullptr) return nullptr;
  const SyntaxNode* dtype =
      make(SyntaxKind::method_call, "scalar_type", {make(SyntaxKind::identifier, "result")});
  return make(SyntaxKind::call, "to", {value, dtype});
}

bool ElementFormula::is_of_gradient() const { return op_->origin.gradient_of != nullptr; }

bool ElementFormula::may_differ(uint16_t index) const {
  if (index == kGradIndex || index == kResultIndex || !is_of_gradient()) return false;
  return op_->schema.arguments[index].type.base == BaseType::tensor &&
         op_->origin.gradient_of->tensor_arguments().size() > 1;
}

// One condition for all elements chooses between formulas, one for each between elements.
const SyntaxNode* ElementFormula::write_select(const ElementNode& node) {
  const bool uniform = node.operand(0).uniform;
  const SyntaxNode* condition = write(node.operand(0));
  const SyntaxNode* then = write_branch(node.operand(1), uniform);
  const SyntaxNode* otherwise = write_branch(node.operand(2), uniform);
  if (condition == nullptr || then == nullptr || otherwise == nullptr) return nullptr;
  return uniform ? make(SyntaxKind::conditional, "?", {condition, then, otherwise})
                 : make(SyntaxKind::call, "where", {condition, then, otherwise});
}

// A number that is the whole value of a formula has to have the shape of the gradient.
const SyntaxNode* ElementFormula::write_branch(const ElementNode& node, bool whole) {
  const SyntaxNode* value = write(node);
  const bool is_number =
      node.op == ElementOp::literal || (node.op == ElementOp::argument && node.uniform);
  if (value == nullptr || !whole || !is_number) return value;
  return make(SyntaxKind::call, "full_like", {make(SyntaxKind::identifier, "grad"), value});
}

const SyntaxNode* ElementFormula::write_call(const ElementNode& node) {
  const Intrinsic* intrinsic = find_intrinsic(node.op);
  if (intrinsic == nullptr) return nullptr;
  std::vector<const SyntaxNode*> operands;
  for (const ElementNode* operand : node.operands) {
    // A function of numbers alone: there are none such, and a zero-dim tensor would lose digits.
    operands.push_back(write_branch(*operand, node.uniform && intrinsic->symbol.empty()));
    if (operands.back() == nullptr) return nullptr;
  }
  if (!intrinsic->symbol.empty()) {
    const SyntaxKind kind = operands.size() == 1 ? SyntaxKind::unary : SyntaxKind::binary;
    return make(kind, intrinsic->symbol, std::move(operands));
  }
  const IntrinsicOperator called = operator_of(*intrinsic);
  if (!called.first.empty())
    operands.insert(operands.begin(), make(SyntaxKind::number, called.first));
  return make(SyntaxKind::call, called.name, std::move(operands));
}

const SyntaxNode* ElementFormula::make(SyntaxKind kind, std::string_view text,
                                       std::vector<const SyntaxNode*> operands) {
  SyntaxNode& node = storage_.syntax.emplace_back();
  node.kind = kind;
  node.text = text;
  node.keywords.resize(operands.size());
  node.keyword_spans.resize(operands.size());
  node.operands = std::move(operands);
  node.span = node.name_span = op_->origin.span;
  return &node;
}

std::string_view ElementFormula::name_of(uint16_t index) const {
  if (index == kGradIndex) return "grad";
  if (index == kResultIndex) return "result";
  return op_->schema.arguments[index].name;
}

}  // namespace opweave::codegen
