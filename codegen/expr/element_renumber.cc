// Renumbering of arguments.
#include "codegen/expr/element_renumber.h"

#include <vector>

namespace opweave::codegen {

const ElementNode* Renumber::apply(const ElementNode* node) {
  auto [entry, is_new] = done_.try_emplace(node, nullptr);
  if (!is_new) return entry->second;
  const ElementNode* result = rebuild(*node);
  return done_[node] = result;
}

const ElementNode* Renumber::rebuild(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::argument:
      return arena_.argument(index_of_(node.index), node.type, node.uniform, node.needs_float, {},
                             node.axes);
    case ElementOp::has_value:
      return arena_.has_value(index_of_(node.index));
    case ElementOp::string_equals:
      return arena_.string_equals(index_of_(node.index), node.text);
    case ElementOp::literal:
    case ElementOp::extent:
    case ElementOp::coordinate:
      return &node;
    default:
      break;
  }
  std::vector<const ElementNode*> operands;
  for (const ElementNode* operand : node.operands) operands.push_back(apply(operand));
  return arena_.with_operands(node, operands);
}

}  // namespace opweave::codegen
