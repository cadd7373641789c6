// PointwisePlan: one call of a pointwise operator, ready to run on any target: types promoted,
// shapes broadcast, dimensions coalesced, the result allocated.
#pragma once

#include <array>
#include <span>

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/pointwise/spec.h"

namespace opweave {

inline constexpr int kMaxPlanDims = 16;

struct PointwiseOperand {
  char* data;        // null for an input that was not given
  ScalarType dtype;  // of the memory; may differ from the common type
  // A zero-dim CPU tensor among tensors of another device: `data` is host memory.
  bool on_host;
  // Bytes per dimension of the plan, innermost first; 0 where broadcast.
  std::array<int64_t, kMaxPlanDims> strides;
};

// Operand 0 is the result; the inputs follow. Only the first num_operands operands and the first
// ndim dimensions are set.
struct PointwisePlan {
  ScalarType common;  // type of computation (Half and BFloat16 as such)
  int64_t numel;
  int ndim;                                 // after coalescing; 0 for a single element
  std::array<int64_t, kMaxPlanDims> sizes;  // innermost first
  int num_operands;
  std::array<PointwiseOperand, kMaxPointwiseInputs + 1> operands;
  // Every operand is dense in the same order (or there is one element) and of the type the kernel
  // reads or writes.
  bool trivial;
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

// The plan of copying: two operands of any types and devices, `from` broadcast to the shape of
// `to`.
void plan_copy(Tensor& to, const Tensor& from, PointwisePlan& plan);

// The common type if nothing at all has to be prepared, so that the kernel can run over the
// tensors' memory as it is: all inputs contiguous, of one shape, one device and the type that the
// kernel reads, and no parameter changes the type. kUndefined otherwise: then make a plan, which
// also says what is wrong.
ScalarType common_type_if_uniform(const PointwiseSpec& spec, TensorRefs inputs,
                                  std::span<const Scalar> params);
// The same for two inputs of which inputs[number] is a Python number that does not change the
// other's type: `a + 1`.
ScalarType common_type_with_number(const PointwiseSpec& spec, TensorRefs inputs,
                                   std::span<const Scalar> params, int number);

}  // namespace opweave
