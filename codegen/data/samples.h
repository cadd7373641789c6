// The calls that tests make of an operator, as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

Json samples_data(const Operator& op);

}  // namespace opweave::codegen::data
