// Walks over trees.
#include "codegen/expr/element_conjugates.h"

#include <unordered_map>
#include <vector>

#include "codegen/expr/element_walk.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {

bool has_conjugates(const ElementNode& root) {
  bool found = false;
  walk(root, [&](const ElementNode& node) { found |= node.op == ElementOp::conj; });
  return found;
}

const ElementNode* without_conjugates(const ElementNode& root, ElementArena& arena) {
  if (!has_conjugates(root)) return &root;
  std::unordered_map<const ElementNode*, const ElementNode*> made;
  walk(root, [&](const ElementNode& node) {
    std::vector<const ElementNode*> operands;
    for (const ElementNode* operand : node.operands) operands.push_back(made.at(operand));
    made[&node] = node.op == ElementOp::conj ? operands[0]
                  : operands.empty()         ? &node
                                             : arena.apply(node.op, operands, node.span);
  });
  return made.at(&root);
}

const ElementNode* find_real_only(const ElementNode& root) {
  const ElementNode* found = nullptr;
  walk(root, [&](const ElementNode& node) {
    const Intrinsic* intrinsic = find_intrinsic(node.op);
    if (found == nullptr && intrinsic != nullptr && !complex_rules(*intrinsic).exist) found = &node;
  });
  return found;
}

}  // namespace opweave::codegen
