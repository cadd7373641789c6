// Printing of formulas for tests.
#include "tests/codegen/support/load.h"

#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {
namespace {

std::string items(const FormulaNode& node, const Operator& op) {
  std::string text;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (node.operand(i).is_default) continue;
    if (!text.empty()) text += ", ";
    if (node.op && node.op->schema.arguments[i].keyword_only) {
      text += node.op->schema.arguments[i].name + "=";
    }
    text += print_formula(node.operand(i), op);
  }
  return text;
}

std::string property(const FormulaNode& node, const Operator& op) {
  std::string text = print_formula(node.operand(0), op) + ".";
  text += std::string(property_name(node.property)) + "(";
  if (node.operands.size() > 1) text += print_formula(node.operand(1), op);
  return text + ")";
}

}  // namespace

std::string print_formula(const FormulaNode& node, const Operator& op) {
  auto operand = [&](size_t i) { return print_formula(node.operand(i), op); };
  std::string symbol(node.symbol);
  switch (node.kind) {
    case FormulaKind::argument:
      return op.schema.arguments[node.index].name;
    case FormulaKind::tangent:
      return op.schema.arguments[node.index].name + "_t";
    case FormulaKind::gradient:
      return "grads[" + std::to_string(node.index) + "]";
    case FormulaKind::result:
      return result_name(op.schema, node.index);
    case FormulaKind::grad_input_mask:
      return "grad_input_mask";
    case FormulaKind::local:
      return "local" + std::to_string(node.index);
    case FormulaKind::named:
      return std::string(op.formulas->parts[node.index].name);
    case FormulaKind::function:
      return node.function->full_name() + "(" + items(node, op) + ")";
    case FormulaKind::constant:
      return node.constant->text;
    case FormulaKind::property:
      return property(node, op);
    case FormulaKind::call:
      return node.op->name.full + "(" + items(node, op) + ")";
    case FormulaKind::element:
      return operand(0) + "[" + std::to_string(node.index) + "]";
    case FormulaKind::index:
      return operand(0) + "[" + operand(1) + "]";
    case FormulaKind::list:
      return "[" + items(node, op) + "]";
    case FormulaKind::tuple:
      return "(" + items(node, op) + ")";
    case FormulaKind::unary:
      return symbol + operand(0);
    case FormulaKind::binary:
      return "(" + operand(0) + " " + symbol + " " + operand(1) + ")";
    case FormulaKind::conditional:
      return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
    case FormulaKind::convert:
      return print(node.type) + "(" + operand(0) + ")";
  }
  return "?";
}

}  // namespace opweave::codegen
