// Which out forms cast their results to the dtype that `out` has, and which need that very dtype.
#pragma once

#include "codegen/model/operator.h"

namespace opweave::codegen {

// As in PyTorch: where the dtype is a choice, because operands promote or somebody asks for it,
// `out` may have another one; whose results have the dtype of what they are made of write them as
// they are. `op` is the functional form.
bool casts_out(const Operator& op);

}  // namespace opweave::codegen
