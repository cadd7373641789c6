// Inner product of two runs of elements.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// Floats: the sum of products, as a double. Integers: the sum, which wraps, as an int64 in `out`.
// Strides count elements.
struct DotResult {
  double floating = 0;
  uint64_t integral = 0;
};
using DotKernel = DotResult (*)(const void* a, int64_t a_stride, const void* b, int64_t b_stride,
                                int64_t n);
// NotImplementedError for bool.
DotKernel dot_kernel(ScalarType dtype);

}  // namespace opweave::cpu
