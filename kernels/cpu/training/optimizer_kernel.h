// Loops of the fused optimizer steps over dense arrays of a floating dtype.
#pragma once

#include <cstdint>

#include "runtime/core/scalar_type.h"

namespace opweave::cpu {

struct SgdOptions {
  double weight_decay, momentum, lr, dampening;
  bool nesterov, maximize, first;
};
struct SgdArrays {
  void* parameter;
  const void* gradient;
  void* momentum;  // null without momentum
};

struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool maximize, decoupled;
  double correction1, correction2;  // 1 - beta^step
};
struct AdamArrays {
  void* parameter;
  const void* gradient;
  void* mean;
  void* square;
  void* largest_square;  // null without amsgrad
};

// One step on elements [begin, end).
struct OptimizerKernel {
  void (*sgd)(const SgdOptions& options, const SgdArrays& arrays, int64_t begin, int64_t end);
  void (*adam)(const AdamOptions& options, const AdamArrays& arrays, int64_t begin, int64_t end);
};
// Null for dtypes that are not floating.
OptimizerKernel optimizer_kernel(ScalarType dtype);

}  // namespace opweave::cpu
