// What an operator requires of a call and what its results look like, as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/rules/rule.h"

namespace opweave::codegen::data {

// Formulas over rule functions: named values, conditions with their messages, results, and the
// argument whose dtype and device those have of which nothing else is said.
Json rule_data(const Rule& rule, const Schema& schema);
// Values with a name, of a rule or of a composite.
Json locals_data(const std::vector<FormulaLocal>& locals);

}  // namespace opweave::codegen::data
