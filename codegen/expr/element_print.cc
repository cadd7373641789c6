// Printing of pointwise trees.
#include "codegen/expr/element_print.h"

#include <fmt/format.h>

#include "codegen/expr/differentiate.h"

namespace opweave::codegen {
namespace {

std::string argument_name(uint16_t index, const std::vector<std::string>& names) {
  if (index == kGradIndex) return "grad";
  if (index == kResultIndex) return "result";
  return names[index];
}

std::string literal_text(const ElementNode& node) {
  if (node.type == ElementType::boolean) return node.number != 0 ? "true" : "false";
  std::string text = fmt::format("{}", node.number);
  bool looks_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return node.is_float && looks_integer ? text + ".0" : text;
}

// What prints as an operation with a symbol.
bool is_operation(ElementOp op) {
  if (const Intrinsic* intrinsic = find_intrinsic(op)) return !intrinsic->symbol.empty();
  return op != ElementOp::argument && op != ElementOp::literal;
}

// An operand of an operator: in parentheses if it is an operation itself.
std::string print_operand(const ElementNode& node, const std::vector<std::string>& names) {
  std::string text = print(node, names);
  return is_operation(node.op) || text.starts_with('-') ? "(" + text + ")" : text;
}

std::string print_operation(const ElementNode& node, const std::vector<std::string>& names) {
  const Intrinsic* intrinsic = find_intrinsic(node.op);
  if (intrinsic && !intrinsic->symbol.empty()) {
    std::string symbol(intrinsic->symbol);
    if (node.operands.size() == 1) return symbol + print_operand(node.operand(0), names);
    return fmt::format("{} {} {}", print_operand(node.operand(0), names), symbol,
                       print_operand(node.operand(1), names));
  }
  std::string text(intrinsic ? intrinsic->name : element_op_name(node.op));
  for (size_t i = 0; i < node.operands.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + print(node.operand(i), names);
  }
  return text + ")";
}

}  // namespace

std::string print(const ElementNode& node, const std::vector<std::string>& names) {
  switch (node.op) {
    case ElementOp::argument:
      return argument_name(node.index, names);
    case ElementOp::literal:
      return literal_text(node);
    case ElementOp::has_value:
      return argument_name(node.index, names) + " != none";
    case ElementOp::string_equals:
      return fmt::format("{} == '{}'", argument_name(node.index, names), node.text);
    case ElementOp::select:
      return fmt::format("{} ? {} : {}", print_operand(node.operand(0), names),
                         print_operand(node.operand(1), names),
                         print_operand(node.operand(2), names));
    case ElementOp::to_boolean:
      return print_operand(node.operand(0), names) + " != 0";
    case ElementOp::to_value:
      return print_operand(node.operand(0), names) + " ? 1 : 0";
    default:
      return print_operation(node, names);
  }
}

}  // namespace opweave::codegen
