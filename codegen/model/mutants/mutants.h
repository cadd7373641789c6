// Makes the mutants of all operators.
#pragma once

#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/mutants/mutant.h"

namespace opweave::codegen {

// Mistakes that the checker finds are no mutants. Needs a model without errors.
Mutants make_mutants(ModelStorage& storage, FormulaEnvironment& environment);

}  // namespace opweave::codegen
