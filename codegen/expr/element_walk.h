// Visits every node of a pointwise tree once, operands first.
#pragma once

#include <unordered_set>

#include "codegen/expr/element.h"

namespace opweave::codegen {

template <typename Visit>
void walk(const ElementNode& node, std::unordered_set<const ElementNode*>& seen, Visit&& visit) {
  if (!seen.insert(&node).second) return;
  for (const ElementNode* operand : node.operands) walk(*operand, seen, visit);
  visit(node);
}

template <typename Visit>
void walk(const ElementNode& root, Visit&& visit) {
  std::unordered_set<const ElementNode*> seen;
  walk(root, seen, visit);
}

}  // namespace opweave::codegen
