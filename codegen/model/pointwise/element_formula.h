// Pointwise expressions rewritten as formulas over public operators: `cos(x) * grad` for elements
// becomes cos and mul for tensors. What is slower to run than one fused kernel, but differentiable
// as often as anybody likes.
#pragma once

#include "codegen/expr/element.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"

namespace opweave::codegen {

class ElementFormula {
 public:
  ElementFormula(ModelStorage& storage, FormulaEnvironment& environment)
      : storage_(storage), environment_(environment) {}

  // The formula for a gradient of `op`, whose tree reads grad and result by kGradIndex and
  // kResultIndex. Null if something in it has no operator of its own.
  const FormulaNode* rewrite(const Operator& op, const ElementNode& gradient);

 private:
  const SyntaxNode* write(const ElementNode& node);
  const SyntaxNode* write_leaf(const ElementNode& node);
  // As a tensor of the dtype in which all of the expression computes.
  const SyntaxNode* converted(const SyntaxNode* value);
  const SyntaxNode* write_select(const ElementNode& node);
  const SyntaxNode* write_branch(const ElementNode& node, bool whole);
  const SyntaxNode* write_call(const ElementNode& node);
  const SyntaxNode* make(SyntaxKind kind, std::string_view text,
                         std::vector<const SyntaxNode*> operands = {});
  // Whether `op` is itself the gradient of an expression, which a kernel of its own computes.
  bool is_of_gradient() const;
  // Whether tensors of several dtypes may meet, and this is one whose own may be another.
  bool may_differ(uint16_t index) const;
  std::string_view name_of(uint16_t index) const;

  ModelStorage& storage_;
  FormulaEnvironment& environment_;
  const Operator* op_ = nullptr;
};

}  // namespace opweave::codegen
