// The types of a pointwise operator's computation and result.
#pragma once

#include "runtime/pointwise/plan.h"

namespace opweave {

// The common type of the operands, promoted by the operator's rule. NotImplementedError where the
// operator is not defined for it; RuntimeError for a number that does not suit it.
ScalarType common_type(const PointwiseSpec& spec, TensorRefs inputs,
                       std::span<const Scalar> params);

// NotImplementedError: the operator is not defined for a type, or was built without it.
[[noreturn]] void fail_type(const PointwiseSpec& spec, ScalarType type);

// The types that a build of selected operators has left out of one of them; `own`: because the
// operator names its own. Called by the generated registration of such a build.
struct LeftOutTypes {
  std::string_view name;  // as in the operator's spec
  DtypeMask types;
  bool own;
};
void register_left_out_types(std::string_view selection, std::span<const LeftOutTypes> operators);

// The type of an operand of this kind in memory that the kernel reads or writes directly.
inline ScalarType kernel_type(OperandKind kind, ScalarType common) {
  return kind == OperandKind::kBool ? kBool : common;
}

}  // namespace opweave
