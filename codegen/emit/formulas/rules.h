// The rules of operators that several emitters print or tell of.
#pragma once

#include <string>
#include <string_view>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Whether `rules::<identifier>` checks its calls and says what its results look like.
bool has_rule_function(const Operator& op);
// The parameters of that function.
std::string rule_parameters(const Operator& op);

// Whether the rule says itself which devices go together.
bool knows_devices(const Operator& op);

}  // namespace opweave::codegen
