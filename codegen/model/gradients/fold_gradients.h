// Gradients that follow from expressions that fold, and the internal operators that compute them:
// one for all arguments of an operator, which folds the same dimensions.
#pragma once

#include <unordered_map>

#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/folds/fold_differentiator.h"
#include "codegen/model/gradients/fold_backward.h"

namespace opweave::codegen {

class FoldGradients {
 public:
  FoldGradients(ModelStorage& storage, OperatorTable& table, FormulaEnvironment& environment,
                DiagnosticSink& sink)
      : storage_(storage),
        table_(table),
        environment_(environment),
        sink_(sink),
        differentiator_(storage.elements) {}

  // Adds formulas for all tensor arguments of which nothing is said. False if an operation in the
  // expressions has no derivative; `obstacle` then says which.
  bool derive(const Operator& op, Derivative& derivative, ElementOp& obstacle);

 private:
  FoldGradientTrees trees_of(const FoldFormula& fold, int level);
  Gradient gradient_of(const Operator& backward);

  ModelStorage& storage_;
  OperatorTable& table_;
  FormulaEnvironment& environment_;
  DiagnosticSink& sink_;
  FoldDifferentiator differentiator_;
  std::unordered_map<const Operator*, int> levels_;  // of backward operators; others are 0
};

}  // namespace opweave::codegen
