// One visit for each node.
#include "codegen/expr/element_extent.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/expr/element_walk.h"

namespace opweave::codegen {

ElementExtent extent_of(const ElementNode& root) {
  std::unordered_map<const ElementNode*, ElementExtent> known;
  walk(root, [&](const ElementNode& node) {
    ElementExtent extent{.operations = node.operands.empty() ? 0U : 1U, .depth = 1};
    for (const ElementNode* operand : node.operands) {
      const ElementExtent& part = known[operand];
      extent.operations = std::min(extent.operations + part.operations, kManyOperations);
      extent.depth = std::max(extent.depth, part.depth + 1);
    }
    known[&node] = extent;
  });
  return known[&root];
}

}  // namespace opweave::codegen
