// The vocabulary as data: what expressions, formulas and rules are made of, and dtypes.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/model.h"

namespace opweave::codegen::data {

// The functions of expressions: what each takes, gives and means, its derivatives, and the operator
// of the model that does the same.
Json intrinsics_data(const Model& model);
// The functions of rules.
Json rule_functions_data();
// What formulas ask of values without their elements.
Json methods_data();
// Each dtype, and what pairs of them promote to.
Json dtype_table_data();

}  // namespace opweave::codegen::data
