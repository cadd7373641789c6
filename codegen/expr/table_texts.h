// What the tables of intrinsics and of folds say in the expression language, with its letters put
// in.
#pragma once

#include <string_view>
#include <unordered_map>

#include "codegen/expr/element_algebra.h"
#include "codegen/expr/folds.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

class TableTexts {
 public:
  using Node = const ElementNode*;

  TableTexts(ElementArena& arena, ElementAlgebra& algebra) : arena_(arena), algebra_(algebra) {}

  // By other folds, as it stands. `node` is a fold that has a meaning.
  Node meaning(const ElementNode& node);
  // Of the fold by what it folds, simplified: one number for each element.
  Node derivative(const ElementNode& node);
  // A rule of intrinsics.def for the node, simplified: x and y are its operands, r is itself.
  Node rule(std::string_view text, const ElementNode& node);

 private:
  enum class Simplify : bool { no, yes };

  Node build(std::string_view text, const ElementNode& node, Simplify simplify);
  Node build(const SyntaxNode& syntax);
  Node identifier(std::string_view name);
  Node apply(ElementOp op, std::vector<Node> operands);
  const SyntaxNode& parsed(std::string_view text);

  ElementArena& arena_;
  ElementAlgebra& algebra_;
  SyntaxArena syntax_;
  std::unordered_map<std::string_view, const SyntaxNode*> parsed_;
  const ElementNode* node_ = nullptr;  // whose text is being built
  Simplify simplify_ = Simplify::no;
};

}  // namespace opweave::codegen
