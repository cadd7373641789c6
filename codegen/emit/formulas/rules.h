// The rules of operators that several emitters print or tell of.
#pragma once

#include <string>
#include <string_view>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// The parameters of `rules::<identifier>`, which checks a call and says what its results look like.
std::string rule_parameters(const Operator& op);
// Whether it can be evaluated with symbols for sizes: each function that it calls has a form over
// symbols.
bool has_symbolic_rule(const Operator& op);

}  // namespace opweave::codegen
