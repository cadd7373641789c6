// Runs a pointwise operator on CUDA tensors: what generated kernels call.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/pointwise/plan.h"

namespace opweave::cuda {

inline constexpr int kMaxDeviceDims = 8;
// Kernels over dense memory read and write this many elements at once, aligned to their size.
inline constexpr int kElementsPerThread = 4;

// Enqueues one kernel. `params` are the operator's numbers.
using PointwiseLaunch = void (*)(const PointwisePlan& plan, const Scalar* params,
                                 cudaStream_t stream);

// The launches of one operator by type of computation; null where it is not defined.
struct PointwiseLoops {
  PointwiseLaunch strided_float, strided_double, strided_integer, strided_unsigned, strided_bool;
  PointwiseLaunch dense_float, dense_half, dense_bfloat16;  // null where an input is read as bool

  PointwiseLaunch strided(ScalarType common) const;
  // Null when there is no vectorised kernel for this type.
  PointwiseLaunch dense(ScalarType common) const;
};

// Enqueues the kernel of a plan on the current stream of `device`.
void launch_pointwise(std::string_view name, const PointwiseLoops& loops, PointwisePlan& plan,
                      Device device, std::span<const Scalar> params);

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params);
void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops, Tensor& out,
                        bool resize, TensorRefs inputs, std::span<const Scalar> params);

}  // namespace opweave::cuda
