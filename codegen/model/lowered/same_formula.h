// Formulas that are written unlike and mean the same.
#pragma once

#include "codegen/expr/formula.h"

namespace opweave::codegen {

// Whether two formulas differ at most in the order of arguments that may change places.
bool is_same_formula(const FormulaNode& a, const FormulaNode& b);

}  // namespace opweave::codegen
