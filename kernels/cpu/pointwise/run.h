// Runs a pointwise operator on CPU tensors: what generated kernels call.
#pragma once

#include "kernels/cpu/pointwise/loops.h"
#include "runtime/pointwise/plan.h"

namespace opweave::cpu {

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params);
// Into `out`: for out=, which is resized when `resize`, and for in-place forms, where `out` is also
// the first input.
void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops, Tensor& out,
                        bool resize, TensorRefs inputs, std::span<const Scalar> params);

}  // namespace opweave::cpu
