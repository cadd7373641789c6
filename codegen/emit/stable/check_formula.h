// What formulas may be made of where the core's own classes are not known.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

// What a library for every release cannot have of this node, whatever its operands are: "a formula
// that calls 'f'"; empty if it can.
std::string why_not_stable(const FormulaNode& node);

// What formulas and kernels can call: of its own and of other libraries, but for what writes to
// `out`.
std::vector<const Operator*> callable_operators(const Model& model);

}  // namespace opweave::codegen
