// Loops of batch_norm and group_norm over runs of floats or doubles.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

struct RunSums {
  double first = 0, second = 0;
};

// All arrays have n adjacent elements of the dtype.
struct NormKernel {
  // Mean, and the sum of squared distances from it.
  RunSums (*moments)(const void* x, int64_t n);
  // Sums of g and of g x.
  RunSums (*sums)(const void* g, const void* x, int64_t n);
  // out = a x + b
  void (*affine)(const void* x, void* out, int64_t n, double a, double b);
  // out = a g + b x + c
  void (*affine2)(const void* g, const void* x, void* out, int64_t n, double a, double b, double c);
  // out = a x + b and out = a g + b x + c with a, b, c of their own for every element; in the
  // dtype.
  void (*affine_each)(const void* x, void* out, int64_t n, const void* a, const void* b);
  void (*affine2_each)(const void* g, const void* x, void* out, int64_t n, const void* a,
                       const void* b, const void* c);
};
// float32 and float64.
NormKernel norm_kernel(ScalarType dtype);

}  // namespace opweave::cpu
