// Counting who reads the values that `let` names.
#include "codegen/math/shared_values.h"

namespace opweave::codegen {
namespace {

// A part holds what it is made of, which is counted where its name is given.
int reads(const FormulaNode& node, size_t local) {
  const bool is_name = node.kind == FormulaKind::local || node.kind == FormulaKind::named;
  if (is_name) return node.index == local;
  int count = 0;
  for (const FormulaNode* operand : node.operands) count += reads(*operand, local);
  return count;
}

}  // namespace

bool is_shared(const Operator& op, size_t local) {
  int count = 0;
  const auto add = [&](const FormulaNode& formula) { count += reads(formula, local); };
  if (op.formulas->composite == nullptr) {
    for_each_formula(*op.rule, add);
    return count > 1;
  }
  for (const FormulaLocal& part : op.formulas->parts) add(*part.value);
  add(*op.formulas->composite);
  return count > 1;
}

}  // namespace opweave::codegen
