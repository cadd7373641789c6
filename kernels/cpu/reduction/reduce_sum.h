// Kernels of sums.
#pragma once

#include "kernels/cpu/reduction/reduce_kernel.h"

namespace opweave::cpu {

enum class SumOf { kElements, kMagnitudes, kSquares, kNonzeros, kNonNans };

// The states are double for floats and int64 for integers, of which kNonzeros are counted and
// everything else is the sum of elements.
ReduceKernel sum_kernel(ScalarType dtype, SumOf what);

}  // namespace opweave::cpu
