// The values of operands that are made of numbers alone, and what they may be.
#include "codegen/expr/element_numbers.h"

#include <fmt/format.h>

#include "codegen/expr/element_walk.h"

namespace opweave::codegen {
namespace {

std::optional<double> value_of(const ElementNode& node);

std::optional<double> value_of(const ElementNode& node, double (*combine)(double, double)) {
  const std::optional<double> a = value_of(node.operand(0)), b = value_of(node.operand(1));
  return a && b ? std::optional(combine(*a, *b)) : std::nullopt;
}

std::optional<double> value_of(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::literal:
      return node.number;
    case ElementOp::negate:
      if (const auto a = value_of(node.operand(0))) return -*a;
      return std::nullopt;
    case ElementOp::add:
      return value_of(node, [](double a, double b) { return a + b; });
    case ElementOp::subtract:
      return value_of(node, [](double a, double b) { return a - b; });
    case ElementOp::multiply:
      return value_of(node, [](double a, double b) { return a * b; });
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> meaningless_number(ElementOp op,
                                              std::span<const ElementNode* const> operands) {
  if (operands.size() != 2) return std::nullopt;
  const std::optional<double> number = value_of(*operands[1]);
  if (!number) return std::nullopt;
  switch (op) {
    case ElementOp::shift_left:
    case ElementOp::shift_right:
      if (*number >= 0 && *number < 64) return std::nullopt;
      return fmt::format("bits are shifted by 0 to 63, not by {}", *number);
    case ElementOp::remainder:
    case ElementOp::fmod:
    case ElementOp::floor_div:
    case ElementOp::trunc_div:
      if (*number != 0) return std::nullopt;
      return fmt::format("'{}' by 0 has no value", element_op_name(op));
    default:
      return std::nullopt;
  }
}

std::optional<std::string> meaningless_number(const ElementNode& root) {
  std::optional<std::string> found;
  walk(root, [&](const ElementNode& node) {
    if (!found) found = meaningless_number(node.op, node.operands);
  });
  return found;
}

}  // namespace opweave::codegen
