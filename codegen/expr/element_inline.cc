// Substitution, with the conditions that it decides taken away.
#include "codegen/expr/element_inline.h"

namespace opweave::codegen {

const ElementNode* ElementInliner::inline_into(const ElementNode* node) {
  auto [entry, is_new] = done_.try_emplace(node, nullptr);
  if (!is_new) return entry->second;
  const ElementNode* result = rebuild(*node);
  return done_[node] = result;
}

const ElementNode* ElementInliner::rebuild(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::literal:
      return &node;
    case ElementOp::string_equals:
      return string_equals(node);
    case ElementOp::has_value:
      return has_value(node);
    case ElementOp::argument: {
      const ElementNode* actual = actuals_[node.index].node;
      // An argument that was given as none is only read where has_value says otherwise.
      if (!actual) return arena_.literal(0, false);
      return node.type == ElementType::boolean ? arena_.as_boolean(actual)
                                               : arena_.as_value(actual);
    }
    default:
      break;
  }
  if (node.op == ElementOp::select) {
    const ElementNode* condition = inline_into(&node.operand(0));
    if (is_literal(*condition)) return inline_into(&node.operand(condition->number != 0 ? 1 : 2));
  }
  std::vector<const ElementNode*> operands;
  for (const ElementNode* operand : node.operands) operands.push_back(inline_into(operand));
  if (node.op == ElementOp::to_boolean) return arena_.as_boolean(operands[0]);
  if (node.op == ElementOp::to_value) return arena_.as_value(operands[0]);
  if (node.op == ElementOp::logical_not && is_literal(*operands[0])) {
    return arena_.boolean(operands[0]->number == 0);
  }
  return arena_.with_operands(node, operands);
}

const ElementNode* ElementInliner::string_equals(const ElementNode& node) {
  const ElementActual& actual = actuals_[node.index];
  if (actual.string_argument < 0) return arena_.boolean(!actual.none && actual.string == node.text);
  auto index = static_cast<uint16_t>(actual.string_argument);
  return arena_.string_equals(index, node.text, node.span);
}

const ElementNode* ElementInliner::has_value(const ElementNode& node) {
  const ElementActual& actual = actuals_[node.index];
  if (actual.optional_argument < 0) return arena_.boolean(!actual.none);
  return arena_.has_value(static_cast<uint16_t>(actual.optional_argument), node.span);
}

}  // namespace opweave::codegen
