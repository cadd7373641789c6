// The vocabulary as data: what expressions, formulas and rules are made of, and dtypes.
#pragma once

#include "codegen/data/json.h"

namespace opweave::codegen::data {

// The functions of expressions: what each takes, gives and means, and its derivatives.
Json intrinsics_data();
// The functions of rules.
Json rule_functions_data();
// What formulas ask of values without their elements.
Json methods_data();
// Each dtype, and what pairs of them promote to.
Json dtype_table_data();

}  // namespace opweave::codegen::data
