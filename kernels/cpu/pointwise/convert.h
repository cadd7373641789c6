// Conversion of dense elements from one type to another, as C casts do it.
#pragma once

#include <cstdint>

#include "dtypes/dtype.h"

namespace opweave::cpu {

// Everything but zero is true. Floats are truncated towards zero; numbers without a place in the
// integer type wrap, as far as the processor does.
void convert(void* to, ScalarType to_type, const void* from, ScalarType from_type, int64_t n);

}  // namespace opweave::cpu
