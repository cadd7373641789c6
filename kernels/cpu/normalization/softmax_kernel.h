// Kernels of softmax and log_softmax and their gradients, over lines of floats or doubles.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// A block of lines: element i of line l is at l * line_stride + i * stride. Either `stride` is 1
// (lines are runs) or `line_stride` is (lines lie side by side).
struct SoftmaxBlock {
  int64_t lines, n;
  int64_t line_stride, stride;
};

struct SoftmaxKernel {
  void (*forward)(const void* in, void* out, const SoftmaxBlock& block);
  void (*backward)(const void* grad, const void* result, void* out, const SoftmaxBlock& block);
};
// float32 and float64.
SoftmaxKernel softmax_kernel(ScalarType dtype, bool logarithm);

}  // namespace opweave::cpu
