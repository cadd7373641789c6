// What Python calls, as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/model.h"

namespace opweave::codegen::data {

// Functions by module and name, methods, the functions of nn.functional, and the operators of
// Python: each with its overloads in the order in which they are tried, and their parameters.
Json python_data(const Model& model);

}  // namespace opweave::codegen::data
