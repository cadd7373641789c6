// Which dtypes `out` may have: which out forms cast their results, and which compute in its dtype.
#pragma once

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// As in PyTorch: where the dtype is a choice, because operands promote, `out` may have another one
// to which the result casts; whose results have the dtype of what they are made of write them as
// they are. The entry may say otherwise. `op` is the functional form.
OutDtype out_dtype(const Operator& op);
// Whether the dtype that may be asked for is that of `out` if it is not: a kernel computes in it.
bool computes_as_out(const Operator& op);

}  // namespace opweave::codegen
