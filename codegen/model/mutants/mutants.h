// Gives every operator its mutants.
#pragma once

#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"

namespace opweave::codegen {

// Mistakes that the checker finds are no mutants. Needs a model without errors.
void add_mutants(ModelStorage& storage, FormulaEnvironment& environment);

}  // namespace opweave::codegen
