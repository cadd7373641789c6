// Which mutants are none: rewrites that compute the same.
#pragma once

#include "codegen/model/declarations/operator.h"
#include "codegen/model/mutants/mutant.h"

namespace opweave::codegen {

// Whether the mutant is proved equal to what it stands for, in real numbers and at every point, and
// is so for infinities and nan. Of formulas over operators those are asked that are pointwise; of
// rules, whether only arguments of symmetric functions have changed places.
bool is_proved_equal(const Operator& op, const Mutant& mutant);

}  // namespace opweave::codegen
