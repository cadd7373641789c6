// Gradients that follow from expressions, and the internal operators that compute them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/pointwise/element_formula.h"

namespace opweave::codegen {

class DerivedGradients {
 public:
  DerivedGradients(ModelStorage& storage, OperatorTable& table, FormulaEnvironment& environment)
      : storage_(storage),
        table_(table),
        environment_(environment),
        differentiator_(storage.elements),
        rewriter_(storage, environment) {}

  // The gradient of one tensor argument of an operator with an expression. False if it cannot be
  // derived; `obstacle` then says which operation has no derivative.
  bool derive(const Operator& op, uint16_t argument, DerivativeFormula& formula,
              ElementOp& obstacle);

  // What tangents are where gradients conjugate, and so are no rule for them: `forward`, if nothing
  // is said of it.
  void derive_tangent(const Operator& op, Derivative& derivative);

  // The gradients of all of them; an operator of which one cannot be derived has none.
  std::optional<Gradient> derive_all(const Operator& op);

  // Differentiates the backward operators made so far: by formulas over public operators, which
  // have gradients in turn. Where that is impossible it makes further backward operators; the last
  // level of those is left as not implemented.
  void complete();

 private:
  struct Generated {
    Operator* op;
    int level;
  };

  void differentiate(const Generated& generated);
  void remember(const Operator& op, uint16_t argument, const DerivativeFormula& formula,
                const ElementNode& gradient);
  // Whether the gradients of an operator should read its result: only if all together they then
  // keep fewer tensors than without. A result that nothing reads may be written: `y = a / b; y +=
  // 1`.
  Differentiator::Result result_use(const Operator& op);
  size_t count_kept(const Operator& op, Differentiator::Result result);
  // A gradient of at most one operation as a call of an operator that everybody knows; or null.
  const FormulaNode* simple_formula(const Operator& op, const ElementNode& gradient);
  const FormulaNode* leaf(const Operator& op, const ElementNode& node);
  // What kGradIndex stands for: the gradient, or the tangent of tangent_of_.
  const FormulaNode* incoming(const Operator& op);
  const FormulaNode* sum_of(const std::vector<ForwardFormula::Term>& terms, Span span);
  const FormulaNode* call_backward(const Operator& op, uint16_t argument,
                                   const ElementNode& gradient);
  // The operator that computes this tree, made if there is none yet.
  const Operator& backward_operator(const Operator& op, uint16_t argument,
                                    const ElementNode& gradient,
                                    const std::vector<uint16_t>& inputs);
  Schema backward_schema(const Operator& op, uint16_t argument,
                         const std::vector<uint16_t>& inputs) const;

  ModelStorage& storage_;
  OperatorTable& table_;
  FormulaEnvironment& environment_;
  Differentiator differentiator_;
  ElementFormula rewriter_;
  std::vector<Generated> generated_;
  std::unordered_map<std::string, Operator*> by_meaning_;
  std::unordered_map<const Operator*, Differentiator::Result> result_use_;
  int level_ = 0;  // of the operator being differentiated
  std::optional<uint16_t> tangent_of_;
};

}  // namespace opweave::codegen
