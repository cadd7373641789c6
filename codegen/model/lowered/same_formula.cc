// Comparison of formulas, node by node.
#include "codegen/model/lowered/same_formula.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "codegen/rules/functions.h"

namespace opweave::codegen {
namespace {

bool is_same_constant(const Constant* a, const Constant* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->kind == b->kind && a->boolean == b->boolean && a->integer == b->integer &&
         a->real == b->real && std::signbit(a->real) == std::signbit(b->real) &&
         a->string == b->string && a->items.empty() && b->items.empty();
}

bool is_same_node(const FormulaNode& a, const FormulaNode& b) {
  return a.kind == b.kind && a.property == b.property && a.conversion == b.conversion &&
         a.index == b.index && a.symbol == b.symbol && a.op == b.op && a.function == b.function &&
         is_same_constant(a.constant, b.constant) && a.operands.size() == b.operands.size();
}

// The operands of a call with `a` and `b` in each other's place; none where they may not be.
std::vector<const FormulaNode*> exchanged(const FormulaNode& call) {
  if (call.function == nullptr || !rule_function(*call.function).symmetric) return {};
  std::vector<const FormulaNode*> operands(call.operands.begin(), call.operands.end());
  const auto place = [&](std::string_view name) {
    return static_cast<size_t>(call.function->find_argument(name));
  };
  std::swap(operands[place("a")], operands[place("b")]);
  return operands;
}

bool are_same(std::span<const FormulaNode* const> a, std::span<const FormulaNode* const> b) {
  return std::ranges::equal(
      a, b, [](const FormulaNode* x, const FormulaNode* y) { return is_same_formula(*x, *y); });
}

}  // namespace

bool is_same_formula(const FormulaNode& a, const FormulaNode& b) {
  if (&a == &b) return true;
  return is_same_node(a, b) &&
         (are_same(a.operands, b.operands) || are_same(exchanged(a), b.operands));
}

}  // namespace opweave::codegen
