// Conditions as trees over elements, as far as they are of numbers.
#include "codegen/model/samples/required_numbers.h"

#include <algorithm>

#include "codegen/model/pointwise/formula_elements.h"
#include "codegen/rules/rule.h"

namespace opweave::codegen {

RequiredNumbers::RequiredNumbers(const Operator& op) {
  if (op.rule == nullptr) return;
  for (const Requirement& requirement : op.rule->requirements) {
    if (requirement.condition != nullptr) add(op, *requirement.condition);
  }
}

void RequiredNumbers::add(const Operator& op, const FormulaNode& condition) {
  if (condition.kind == FormulaKind::binary && condition.symbol == "&&") {
    for (const FormulaNode* operand : condition.operands) add(op, *operand);
    return;
  }
  FormulaElements elements(arena_, op.schema, FormulaElements::Depth::whole);
  const ElementNode* tree = arena_.as_boolean(elements.convert(condition));
  if (elements.opaque().empty()) {
    conditions_.push_back(tree);
  } else {
    note_unclear(*op.rule, condition);
  }
}

void RequiredNumbers::note_unclear(const Rule& rule, const FormulaNode& node) {
  if (node.kind == FormulaKind::argument) unclear_.insert(node.index);
  const FormulaNode* local =
      node.kind == FormulaKind::local ? rule.locals[node.index].value : nullptr;
  if (local != nullptr) note_unclear(rule, *local);
  for (const FormulaNode* operand : node.operands) note_unclear(rule, *operand);
}

bool RequiredNumbers::admit(const ElementPoint& point) const {
  return std::ranges::all_of(conditions_, [&](const ElementNode* condition) {
    return Evaluator(point, ErrorBounds::no).evaluate(*condition).value != 0;
  });
}

}  // namespace opweave::codegen
