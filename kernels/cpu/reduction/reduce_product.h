// Kernel of products.
#pragma once

#include "kernels/cpu/reduction/reduce_kernel.h"

namespace opweave::cpu {

// The states are double for floats and int64 for integers.
ReduceKernel product_kernel(ScalarType dtype);

}  // namespace opweave::cpu
