// How an operator is differentiated, as data: the lowered model, word for word.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

// What a call records, its backward pass, its forward pass, and of which tensors those read
// elements. Forms that share the pass of another say whose it is.
Json derivative_data(const Operator& op);

}  // namespace opweave::codegen::data
