// Derivation of gradients of folds.
#include "codegen/model/gradients/fold_gradients.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "codegen/expr/element_walk.h"
#include "codegen/model/gradients/fold_backward.h"
#include "codegen/model/gradients/saved.h"

namespace opweave::codegen {
namespace {

// Operators of the files are level 0; backward operators have gradients up to this level.
constexpr int kLastLevel = 1;

// Whether a row would have to know a sum over all rows: that takes a walk over all of them before.
bool needs_column_sums(const ElementNode& tree) {
  bool found = false;
  walk(tree, [&](const ElementNode& node) {
    for (const ElementNode* operand : node.operands)
      found = found || (operand->op == ElementOp::fold && (operand->over & kKeptAxes) != 0);
  });
  return found;
}

DerivativeFormula without_gradient(uint16_t argument, DerivativeFormula::Kind kind) {
  DerivativeFormula made;
  made.inputs = {argument};
  made.derived = true;
  made.kind = kind;
  return made;
}

// How many whole tensors a backward pass keeps.
size_t count_kept(const FoldGradientTrees& trees) {
  std::set<uint16_t> kept;
  std::unordered_set<const ElementNode*> seen;
  for (const auto& [argument, tree] : trees) {
    walk(*tree, seen, [&](const ElementNode& node) {
      const bool whole = node.op == ElementOp::argument && node.axes == kAllAxes;
      if (whole && !is_fold_gradient(node.index)) kept.insert(node.index);
    });
  }
  return kept.size();
}

}  // namespace

// With results in the place of what they are made of, unless more had to be kept for that.
FoldGradientTrees FoldGradients::trees_of(const FoldFormula& fold, int level) {
  using Results = FoldDifferentiator::Results;
  FoldGradientTrees rows = differentiator_.differentiate(fold, Results::rows);
  if (level > 0) return rows;
  FoldGradientTrees all = differentiator_.differentiate(fold, Results::all);
  return count_kept(all) <= count_kept(rows) ? all : rows;
}

// Of a backward operator.
Gradient FoldGradients::gradient_of(const Operator& backward) {
  if (levels_[&backward] > kLastLevel) return {Differentiability::not_implemented};
  Derivative derivative;
  derivative.differentiable_outputs.assign(backward.schema.returns.size(), true);
  ElementOp obstacle = ElementOp::count_;
  if (!derive(backward, derivative, obstacle)) return {Differentiability::not_implemented};
  std::ranges::sort(derivative.formulas, {},
                    [](const DerivativeFormula& f) { return f.inputs.empty() ? 0 : f.inputs[0]; });
  collect_saved(derivative, backward.schema);
  return {Differentiability::formula, &storage_.derivatives.emplace_back(std::move(derivative))};
}

bool FoldGradients::derive(const Operator& op, Derivative& derivative, ElementOp& obstacle) {
  const int level = levels_[&op];
  FoldGradientTrees trees = trees_of(*op.elements->fold, level);
  obstacle = differentiator_.obstacle();
  if (obstacle != ElementOp::count_) return false;
  for (uint16_t argument : op.tensor_arguments()) {
    const bool said = derivative.formula_of(argument) != nullptr;
    const ElementArgument& use = op.elements->arguments[argument];
    const auto found = trees.find(argument);
    const bool constant = !use.used || use.as_boolean;
    const bool zero = !constant && (found == trees.end() || is_literal(*found->second, 0));
    if (said || constant || zero) {
      trees.erase(argument);
      if (said) continue;
      derivative.formulas.push_back(
          without_gradient(argument, constant ? DerivativeFormula::Kind::non_differentiable
                                              : DerivativeFormula::Kind::zero));
      continue;
    }
    const bool of_columns = op.elements->fold->arguments[argument] == kFoldedAxes;
    const bool fits = of_columns == is_sum_of_rows(*found->second);
    if (!fits || needs_column_sums(*found->second)) {
      obstacle = ElementOp::fold;
      return false;
    }
  }
  if (trees.empty()) return true;
  DerivativeFormula made;
  made.derived = true;
  for (const auto& [argument, tree] : trees) made.inputs.push_back(argument);
  FoldBackward backward(op, trees, storage_, sink_);
  Operator& by = backward.make(table_, environment_);
  levels_[&by] = level + 1;
  by.gradient.give(gradient_of(by));
  made.formula = backward.call(by);
  derivative.formulas.push_back(std::move(made));
  return true;
}

}  // namespace opweave::codegen
