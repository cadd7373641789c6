// Reductions of the dtypes on which operators do no arithmetic: wide unsigned integers, which wrap
// around, and 8-bit floats, each of whose results is computed in float32 and rounded.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

inline constexpr DtypeMask kRareDtypes = dtypes::kWideUnsigned | dtypes::kFloat8;

// As combine() and finish() of combine.h.
void combine_rare(ReduceOp op, ScalarType dtype, void* out, const void* a, const void* b,
                  int64_t count);
void finish_rare(ScalarType dtype, void* out, int64_t count, int ranks);

}  // namespace opweave::distributed
