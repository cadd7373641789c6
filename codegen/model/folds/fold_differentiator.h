// Symbolic gradients of expressions that fold, in reverse: expressions of the same kind.
#pragma once

#include <map>
#include <vector>

#include "codegen/expr/table_texts.h"
#include "codegen/model/declarations/fold.h"

namespace opweave::codegen {

// Indices that stand for the gradient of a result, and for the result itself, in derived trees.
constexpr uint16_t kFoldGradients = 0xE000, kFoldResults = 0xE800;
inline bool is_fold_gradient(uint16_t index) {
  return index >= kFoldGradients && index < kFoldResults;
}
inline bool is_fold_result(uint16_t index) { return index >= kFoldResults; }

class FoldDifferentiator {
 public:
  using Node = const ElementNode*;

  explicit FoldDifferentiator(ElementArena& arena)
      : arena_(arena), algebra_(arena), texts_(arena, algebra_) {}

  // Which results a gradient may read in the place of what they are made of.
  enum class Results : bool { rows, all };

  // By argument, of those that results depend on not only in steps. Empty, with an `obstacle`, if
  // some operation has no derivative.
  std::map<uint16_t, Node> differentiate(const FoldFormula& fold, Results results);
  ElementOp obstacle() const { return obstacle_; }

 private:
  void propagate(Node node, Node gradient);
  void to_operands(Node node, Node gradient);
  void give(Node operand, Node value, AxisMask along);
  std::vector<std::pair<Node, Node>> known_results(const FoldFormula& fold, Results results);

  ElementArena& arena_;
  ElementAlgebra algebra_;
  TableTexts texts_;
  std::map<uint32_t, std::pair<Node, Node>> open_;  // by id: a node, and its gradient so far
  std::map<uint16_t, Node> found_;
  ElementOp obstacle_ = ElementOp::count_;
};

}  // namespace opweave::codegen
