// PointwisePlan: one call of a pointwise operator, ready to run on any target: types promoted,
// shapes broadcast, dimensions coalesced, the result allocated.
#pragma once

#include <array>
#include <span>

#include "runtime/core/dim_vector.h"
#include "runtime/core/tensor.h"
#include "runtime/pointwise/spec.h"

namespace opweave {

struct PointwiseOperand {
  char* data = nullptr;
  ScalarType dtype = ScalarType::kUndefined;  // of the memory; may differ from the common type
  // Bytes per dimension of the plan, innermost first; 0 where broadcast.
  std::array<int64_t, 16> strides{};
};

// Operand 0 is the result; the inputs follow.
struct PointwisePlan {
  ScalarType common = ScalarType::kUndefined;  // type of computation (Half and BFloat16 as such)
  int64_t numel = 0;
  int ndim = 0;                     // after coalescing; 0 for a single element
  std::array<int64_t, 16> sizes{};  // innermost first
  int num_operands = 0;
  std::array<PointwiseOperand, kMaxPointwiseInputs + 1> operands;
  // Every operand is dense in the same order (or a single element) and of the type the kernel
  // reads.
  bool trivial = false;
};

using TensorRefs = std::span<const Tensor* const>;

// Checks devices and dtypes, promotes, broadcasts, allocates the result with the memory layout of
// the inputs (as PyTorch does: the inputs' common stride order), and fills the plan. Errors name
// spec.name and the argument.
Tensor plan_pointwise(const PointwiseSpec& spec, TensorRefs inputs, std::span<const Scalar> params,
                      PointwisePlan& plan);
// The same, into `out`: for out=, which is resized when `resize`, and for in-place forms, where
// `out` is also the first input. Checks that the result type can be cast, that `out` is not an
// expanded view, and that it does not partly overlap an input.
void plan_pointwise_into(const PointwiseSpec& spec, Tensor& out, bool resize, TensorRefs inputs,
                         std::span<const Scalar> params, PointwisePlan& plan);

// The broadcast shape of two shapes; RuntimeError in PyTorch's words otherwise.
DimVector broadcast_sizes(IntList a, IntList b);

}  // namespace opweave
