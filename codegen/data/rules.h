// What an operator requires of a call and what its results look like, as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/rules/rule.h"

namespace opweave::codegen::data {

// Formulas over rule functions: named values, conditions with their messages, results.
Json rule_data(const Rule& rule);
// Values with a name, of a rule or of a composite.
Json locals_data(const std::vector<FormulaLocal>& locals);

}  // namespace opweave::codegen::data
