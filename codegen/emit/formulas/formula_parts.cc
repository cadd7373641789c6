// What a formula needs for certain.
#include "codegen/emit/formulas/formula_parts.h"

namespace opweave::codegen {

std::vector<const FormulaNode*> FormulaParts::needed(const FormulaNode& node) const {
  std::vector<const FormulaNode*> found;
  if (computed_.empty()) return found;
  std::vector<bool> seen = computed_;
  collect(node, seen, found);
  return found;
}

// Of conditions, and of what && and || join, the first operand alone is certain.
void FormulaParts::collect(const FormulaNode& node, std::vector<bool>& seen,
                           std::vector<const FormulaNode*>& found) const {
  if (node.kind == FormulaKind::named) {
    if (seen[node.index]) return;
    seen[node.index] = true;
    collect(node.operand(0), seen, found);
    found.push_back(&node);
    return;
  }
  const bool first_alone =
      node.kind == FormulaKind::conditional || node.symbol == "&&" || node.symbol == "||";
  for (size_t i = 0; i < (first_alone ? 1 : node.operands.size()); ++i) {
    collect(node.operand(i), seen, found);
  }
}

}  // namespace opweave::codegen
