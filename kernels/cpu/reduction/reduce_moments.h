// Kernels of variances.
#pragma once

#include "kernels/cpu/reduction/reduce_kernel.h"

namespace opweave::cpu {

// Of the elements so far: how many, their mean, and the sum of squared distances from it.
struct Moments {
  double count;
  double mean;
  double squares;
};
// Floating-point dtypes.
ReduceKernel moments_kernel(ScalarType dtype);

}  // namespace opweave::cpu
