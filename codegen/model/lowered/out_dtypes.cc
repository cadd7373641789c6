// What an operator says of its dtypes, read for its out form.
#include "codegen/model/lowered/out_dtypes.h"

#include <algorithm>

#include "codegen/expr/formula.h"

namespace opweave::codegen {
namespace {

// Tensors that are read as values, and numbers that stand for one: `a + 1`; what has a default is
// an option.
size_t count_operands(const Operator& op) {
  size_t count = 0;
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    const bool number = argument.type.base == BaseType::scalar && !argument.keyword_only &&
                        !argument.default_value.has_value();
    const bool read = op.elements->arguments[i].used && !op.elements->arguments[i].as_boolean;
    count += (argument.type.is_tensor() && read) || number;
  }
  return count;
}

bool expression_casts(const Operator& op) {
  const auto numbers = [](const Argument& a) { return a.type.base == BaseType::scalar; };
  const bool same = op.elements->promotion.compute == ComputeRule::same;
  if (same && std::ranges::none_of(op.schema.arguments, numbers)) return false;
  if (count_operands(op) != 1) return true;
  return op.elements->promotion.result != ResultRule::boolean &&
         op.elements->promotion.compute == ComputeRule::int_to_float &&
         (op.selected->dtypes.bits & ~dtypes::kCommonFloating) != 0;
}

bool casts(const Operator& op) { return out_dtype(op) != OutDtype::same; }

// A formula gives what its outermost call gives.
bool formula_casts(const FormulaNode& node) {
  switch (node.kind) {
    case FormulaKind::call:
      return casts(node.op->forms->functional != nullptr ? *node.op->forms->functional : *node.op);
    case FormulaKind::element:
    case FormulaKind::named:
    case FormulaKind::convert:
      return formula_casts(node.operand(0));
    case FormulaKind::list:
    case FormulaKind::tuple:
      return std::ranges::any_of(node.operands,
                                 [](const FormulaNode* n) { return formula_casts(*n); });
    case FormulaKind::conditional:
      return formula_casts(node.operand(1)) || formula_casts(node.operand(2));
    default:
      return true;
  }
}

bool rule_casts(const Rule& rule) {
  if (rule.like != nullptr) return formula_casts(*rule.like);
  if (rule.outputs.empty()) return !rule.data;
  const auto promotes = [](const OutputRule& output) {
    return output.dtype != nullptr && output.dtype->function != nullptr &&
           std::ranges::any_of(output.dtype->function->arguments,
                               [](const Argument& a) { return a.type.is_tensor_like(); });
  };
  return std::ranges::any_of(rule.outputs, promotes);
}

bool asks_dtype(const Operator& op) {
  return std::ranges::any_of(op.schema.arguments, [](const Argument& a) {
    return a.type.base == BaseType::scalar_type && a.type.optional;
  });
}

bool derived_casts(const Operator& op) {
  if (op.is_expr()) return expression_casts(op);
  if (computes_as_out(op)) return false;
  if (op.formulas->composite != nullptr) return formula_casts(*op.formulas->composite);
  return asks_dtype(op) || op.rule == nullptr || rule_casts(*op.rule);
}

}  // namespace

OutDtype out_dtype(const Operator& op) {
  return op.dtypes->of_out.value_or(derived_casts(op) ? OutDtype::cast : OutDtype::same);
}

bool computes_as_out(const Operator& op) { return op.fills_results() && asks_dtype(op); }

}  // namespace opweave::codegen
