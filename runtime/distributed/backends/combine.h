// Reductions of blocks of memory, by the operators that reduce tensors.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

// out[i] = a[i] op b[i], i < count; `out` may be a or b. Of avg the sum.
void combine(ReduceOp op, ScalarType dtype, void* out, const void* a, const void* b, int64_t count);
// What is left to do when all of `ranks` are combined: of avg the division.
void finish(ReduceOp op, ScalarType dtype, void* out, int64_t count, int ranks);

}  // namespace opweave::distributed
