// What an entry says in formulas over other operators.
#pragma once

#include <vector>

#include "codegen/expr/formula.h"
#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {

// Null where nothing is said, and of derived forms.
struct Formulas {
  const FormulaNode* composite = nullptr;
  std::vector<FormulaLocal> parts;         // of the composite, to which `let` gives names
  const FormulaNode* batching = nullptr;   // of Batching::example and Batching::batch
  const FormulaNode* reference = nullptr;  // what tests compare values with
};

}  // namespace opweave::codegen
