// The dtype in which 16-bit floats are added up.
#pragma once

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::rule {

// float32 for float16 and bfloat16; the dtype itself for all others.
inline ScalarType widened(ScalarType dtype) { return is_reduced_float(dtype) ? kFloat : dtype; }

}  // namespace opweave::rule
