// Reverse accumulation over trees that fold. Where a value is the same along an axis its gradient
// is the sum along it; a fold gives its gradient to every element.
#include "codegen/model/folds/fold_differentiator.h"

#include "codegen/expr/element_places.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/folds/fold_numbers.h"
#include "codegen/model/folds/fold_tidy.h"

namespace opweave::codegen {
namespace {

bool is_extreme(const ElementNode& node) {
  return is_fold(node, FoldKind::maximum) || is_fold(node, FoldKind::minimum);
}

}  // namespace

std::map<uint16_t, const ElementNode*> FoldDifferentiator::differentiate(const FoldFormula& fold,
                                                                         Results results) {
  open_.clear();
  found_.clear();
  obstacle_ = ElementOp::count_;
  for (uint16_t i = 0; i < fold.results.size(); ++i) {
    if (is_place(*fold.results[i])) continue;
    Node gradient = arena_.argument(kFoldGradients + i, ElementType::value, false, false, {},
                                    fold.result_axes[i]);
    give(fold.results[i], gradient, fold.result_axes[i]);
  }
  // Operands are older than what is made of them.
  while (!open_.empty() && obstacle_ == ElementOp::count_) {
    const auto [node, gradient] = open_.rbegin()->second;
    open_.erase(std::prev(open_.end()));
    propagate(node, gradient);
  }
  if (obstacle_ != ElementOp::count_) return {};
  FoldTidy tidy(arena_, known_results(fold, results));
  for (auto& [argument, gradient] : found_) gradient = tidy.tidy(gradient);
  return found_;
}

// What a forward call has written need not be computed again.
std::vector<std::pair<const ElementNode*, const ElementNode*>> FoldDifferentiator::known_results(
    const FoldFormula& fold, Results results) {
  std::vector<std::pair<Node, Node>> known;
  for (uint16_t i = 0; i < fold.results.size(); ++i) {
    const bool fits = results == Results::all ? fold.result_axes[i] != kFoldedAxes : fold.is_row(i);
    if (!fits || fold.results[i]->operands.empty()) continue;
    known.emplace_back(fold.results[i], arena_.argument(kFoldResults + i, ElementType::value, false,
                                                        false, {}, fold.result_axes[i]));
  }
  return known;
}

void FoldDifferentiator::propagate(Node node, Node gradient) {
  if (is_literal(*gradient, 0)) return;
  if (node->op == ElementOp::argument) {
    if (!node->uniform) found_[node->index] = gradient;
    return;
  }
  if (is_place(*node)) return;
  // What is subtracted so that nothing overflows has no influence: no mask of extremes is needed.
  if (is_extreme(*node) && is_zero_in_numbers(*gradient)) return;
  to_operands(node, gradient);
}

void FoldDifferentiator::to_operands(Node node, Node gradient) {
  if (node->op == ElementOp::fold) {
    const Node slope = texts_.derivative(*node);
    return give(&node->operand(0), algebra_.multiply(gradient, slope), node->operand(0).axes);
  }
  const auto along = static_cast<AxisMask>(node->axes | gradient->axes);
  if (node->op == ElementOp::select) {
    const Node zero = algebra_.number(0);
    Node condition = &node->operand(0);
    give(&node->operand(1), algebra_.select(condition, gradient, zero), along);
    give(&node->operand(2), algebra_.select(condition, zero, gradient), along);
    return;
  }
  const Intrinsic* intrinsic = find_intrinsic(node->op);
  if (intrinsic == nullptr || intrinsic->result != ElementType::value) return;
  for (size_t i = 0; i < node->operands.size(); ++i) {
    if (node->operand(i).uniform) continue;
    if (intrinsic->derivatives[i].empty()) {
      obstacle_ = node->op;
      return;
    }
    const Node slope = texts_.rule(intrinsic->derivatives[i], *node);
    give(&node->operand(i), algebra_.multiply(gradient, slope), along);
  }
}

// `along`: the axes for each of whose elements there is such a gradient.
void FoldDifferentiator::give(Node operand, Node value, AxisMask along) {
  if (operand->uniform || operand->type == ElementType::boolean || is_literal(*value, 0)) return;
  value = algebra_.sum(value, along & ~operand->axes);
  auto [entry, is_new] = open_.try_emplace(operand->id, operand, value);
  if (is_new) return;
  Node& before = entry->second.second;
  // Two sums over rows are one.
  const bool both = is_sum_of_rows(*before) && is_sum_of_rows(*value);
  before = both ? algebra_.sum(algebra_.add(&before->operand(0), &value->operand(0)), kKeptAxes)
                : algebra_.add(before, value);
}

}  // namespace opweave::codegen
