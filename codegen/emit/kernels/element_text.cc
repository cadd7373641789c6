// Printing of trees over the vocabulary.
#include "codegen/emit/kernels/element_text.h"

#include <charconv>

#include "codegen/emit/text/comma_list.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

// The vocabulary's name of an operation; conversions and `select` keep their names.
std::string vocabulary_name(ElementOp op) {
  const Intrinsic* intrinsic = find_intrinsic(op);
  return std::string(intrinsic == nullptr ? element_op_name(op) : intrinsic->target);
}

std::string number_text(const ElementNode& node) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), node.number).ptr;
  std::string text(buffer, end);
  // As all compilers of devices have them, also those without the standard library or float64.
  if (text == "inf") return "__builtin_inff()";
  if (text == "-inf") return "-__builtin_inff()";
  if (text == "nan") return "__builtin_nanf(\"\")";
  // Always a double: the vocabulary converts it to the type of computation.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// A truth value is one of the type of computation that is read as one.
std::string literal(const ElementNode& node) {
  const std::string text = "m::lit(d, " + number_text(node) + ")";
  return node.type == ElementType::boolean ? "m::to_boolean(" + text + ")" : text;
}

}  // namespace

void ElementText::count_uses(const ElementNode& root) {
  if (++uses_[&root] > 1) return;
  if (known(root).empty()) {
    for (const ElementNode* operand : root.operands) count_uses(*operand);
  }
}

std::string ElementText::value(const ElementNode& node) {
  if (const auto it = names_.find(&node); it != names_.end()) return it->second;
  if (const std::string other = known(node); !other.empty()) return other;
  std::string text = expression(node);
  if (has_alternatives(node)) {
    if (alternatives_read_it()) names_[&node] = text = named(text);
    text = alternatives(node, std::move(text));
  } else if (uses_[&node] < 2 || node.operands.empty()) {
    return text;
  }
  return names_[&node] = named(text);
}

std::string ElementText::named(const std::string& text) {
  const std::string name = "t" + std::to_string(variables_++);
  body_.print({{"name", name}, {"text", text}}, "const auto $name$ = $text$;");
  return name;
}

std::string ElementText::expression(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::literal:
      return literal(node);
    case ElementOp::argument:
    case ElementOp::has_value:
    case ElementOp::string_equals:
    case ElementOp::extent:
    case ElementOp::coordinate:
      return leaf(node);
    case ElementOp::to_value:
      return "m::to_value(d, " + value(node.operand(0)) + ")";
    default:
      break;
  }
  const auto text = [&](const ElementNode* operand) { return value(*operand); };
  return "m::" + vocabulary_name(node.op) + "(" + comma_list(node.operands, text) + ")";
}

}  // namespace opweave::codegen
