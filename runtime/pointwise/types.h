// The types of a pointwise operator's computation and result.
#pragma once

#include "runtime/pointwise/plan.h"

namespace opweave {

// The common type of the operands, promoted by the operator's rule. NotImplementedError where the
// operator is not defined for it; RuntimeError for a number that does not suit it.
ScalarType common_type(const PointwiseSpec& spec, TensorRefs inputs,
                       std::span<const Scalar> params);

// The type of an operand of this kind in memory that the kernel reads or writes directly.
inline ScalarType kernel_type(OperandKind kind, ScalarType common) {
  return kind == OperandKind::kBool ? kBool : common;
}

}  // namespace opweave
