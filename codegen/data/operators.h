// One operator as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

Json operator_data(const Operator& op);

}  // namespace opweave::codegen::data
