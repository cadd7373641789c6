// Canonical printing of expressions.
#include "codegen/expr/syntax.h"

namespace opweave::codegen {
namespace {

std::string print_items(const SyntaxNode& node, size_t first) {
  std::string out;
  for (size_t i = first; i < node.operands.size(); ++i) {
    if (i > first) out += ", ";
    if (!node.keywords.empty() && !node.keywords[i].empty()) {
      out += std::string(node.keywords[i]) + "=";
    }
    out += print(*node.operands[i]);
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string quote = text.find('\'') == std::string_view::npos ? "'" : "\"";
  return quote + std::string(text) + quote;
}

// What a method is called on. A number keeps its distance, or the dot would belong to it.
std::string print_receiver(const SyntaxNode& node) {
  return print(node) + (node.kind == SyntaxKind::number ? " " : "");
}

}  // namespace

std::string print(const SyntaxNode& node) {
  auto operand = [&](size_t i) { return print(*node.operands[i]); };
  std::string text(node.text);
  switch (node.kind) {
    case SyntaxKind::number:
    case SyntaxKind::identifier:
      return text;
    case SyntaxKind::string:
      return quoted(text);
    case SyntaxKind::unary:
      return text + operand(0);
    case SyntaxKind::binary:
      return operand(0) + " " + text + " " + operand(1);
    case SyntaxKind::conditional:
      return operand(0) + " ? " + operand(1) + " : " + operand(2);
    case SyntaxKind::call:
      return text + "(" + print_items(node, 0) + ")";
    case SyntaxKind::method_call:
      return print_receiver(*node.operands[0]) + "." + text + "(" + print_items(node, 1) + ")";
    case SyntaxKind::index:
      return operand(0) + "[" + operand(1) + "]";
    case SyntaxKind::list:
      return "[" + print_items(node, 0) + "]";
    case SyntaxKind::group:
      return "(" + operand(0) + ")";
  }
  return text;
}

}  // namespace opweave::codegen
