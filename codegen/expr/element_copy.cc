// Copies by the kinds of nodes.
#include "codegen/expr/element_copy.h"

#include <vector>

namespace opweave::codegen {

const ElementNode* ElementCopier::copy(const ElementNode& node) {
  if (auto known = done_.find(&node); known != done_.end()) return known->second;
  Node made = make(node);
  return done_[&node] = made;
}

const ElementNode* ElementCopier::make(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::argument: {
      auto other = replaced_.find(node.index);
      if (other != replaced_.end()) {
        return node.type == ElementType::boolean ? arena_.as_boolean(other->second)
                                                 : arena_.as_value(other->second);
      }
      return arena_.argument(node.index, node.type, node.uniform, node.needs_float, node.span,
                             node.axes);
    }
    case ElementOp::extent:
      return arena_.extent(node.over, node.span);
    case ElementOp::coordinate:
      return arena_.coordinate(node.index, node.axes, node.span);
    case ElementOp::literal:
      return node.type == ElementType::boolean
                 ? arena_.boolean(node.number != 0, node.span)
                 : arena_.literal(node.number, node.is_float, node.span);
    case ElementOp::has_value:
      return arena_.has_value(node.index, node.span);
    case ElementOp::string_equals:
      return arena_.string_equals(node.index, node.text, node.span);
    default:
      return apply(node);
  }
}

const ElementNode* ElementCopier::apply(const ElementNode& node) {
  std::vector<Node> operands;
  for (Node operand : node.operands) operands.push_back(copy(*operand));
  if (node.op == ElementOp::to_value) return arena_.as_value(operands[0]);
  if (node.op == ElementOp::to_boolean) return arena_.as_boolean(operands[0]);
  const bool plain = simplify_ == Simplify::no || node.op == ElementOp::fold;
  return !plain ? algebra_.apply(node.op, operands) : arena_.with_operands(node, operands);
}

}  // namespace opweave::codegen
