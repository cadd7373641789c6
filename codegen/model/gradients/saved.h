// What a derivative saves from the forward call, found by walking its formulas.
#pragma once

#include "codegen/model/declarations/derivative.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// Fills `saved`, and `saved`, `gradients`, `filled` and `uses_grad_input_mask` of every formula.
void collect_saved(Derivative& derivative, const Schema& schema);

}  // namespace opweave::codegen
