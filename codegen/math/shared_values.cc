// Counting who reads the named values of rules.
#include "codegen/math/shared_values.h"

namespace opweave::codegen {
namespace {

int reads(const FormulaNode& node, size_t local) {
  int count = node.kind == FormulaKind::local && node.index == local;
  for (const FormulaNode* operand : node.operands) count += reads(*operand, local);
  return count;
}

}  // namespace

bool is_shared(const Rule& rule, size_t local) {
  int count = 0;
  for_each_formula(rule, [&](const FormulaNode& formula) { count += reads(formula, local); });
  return count > 1;
}

}  // namespace opweave::codegen
