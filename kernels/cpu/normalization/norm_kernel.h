// Loops of layer_norm, batch_norm and group_norm over runs of floats or doubles.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

struct RunSums {
  double first = 0, second = 0;
};

// All arrays have n adjacent elements of the dtype; weights and biases may be null (1 and 0).
struct NormKernel {
  // Mean, and the sum of squared distances from it.
  RunSums (*moments)(const void* x, int64_t n);
  // Sums of g and of g x.
  RunSums (*sums)(const void* g, const void* x, int64_t n);
  // Sums of g w and of g w x.
  RunSums (*weighted_sums)(const void* g, const void* w, const void* x, int64_t n);
  // out = a x + b
  void (*affine)(const void* x, void* out, int64_t n, double a, double b);
  // out = a g + b x + c
  void (*affine2)(const void* g, const void* x, void* out, int64_t n, double a, double b, double c);
  // out = a (x - center) w + bias; the difference first, or it would lose digits far from zero.
  void (*weighted_centered)(const void* x, const void* w, const void* bias, void* out, int64_t n,
                            double a, double center);
  // out = a g w + b x + c
  void (*weighted_affine2)(const void* g, const void* w, const void* x, void* out, int64_t n,
                           double a, double b, double c);
  // grad_w += g a (x - center), grad_b += g; both may be null.
  void (*add_products)(const void* g, const void* x, void* grad_w, void* grad_b, int64_t n,
                       double a, double center);
  // out = a x + b and out = a g + b x + c with a, b, c of their own for every element; in the
  // dtype.
  void (*affine_each)(const void* x, void* out, int64_t n, const void* a, const void* b);
  void (*affine2_each)(const void* g, const void* x, void* out, int64_t n, const void* a,
                       const void* b, const void* c);
};
// float32 and float64.
NormKernel norm_kernel(ScalarType dtype);

}  // namespace opweave::cpu
