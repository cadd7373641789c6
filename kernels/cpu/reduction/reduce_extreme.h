// Kernels of extremes: values, and values with their positions.
#pragma once

#include "kernels/cpu/reduction/reduce_kernel.h"

namespace opweave::cpu {

enum class Extreme { kMax, kMin, kMaxMagnitude, kMinMagnitude };

// The states are values of the compute type (uint8 for bool). NaN wins over everything.
ReduceKernel extreme_kernel(ScalarType dtype, Extreme which);

// A value of the compute type and where it first occurs; NaN wins. `index` is -1 for no element.
template <class T>
struct ArgState {
  T value;
  int64_t index;
};
// kMax or kMin; the states are ArgState of the compute type (uint8 for bool).
ReduceKernel arg_extreme_kernel(ScalarType dtype, Extreme which);

}  // namespace opweave::cpu
