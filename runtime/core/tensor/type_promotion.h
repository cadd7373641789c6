// The promotion lattice of element types, and the result type of a set of operands.
#pragma once

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// The smallest type to which both convert, as torch.promote_types.
ScalarType promote_types(ScalarType a, ScalarType b);

// Whether a result of type `from` may be written to an out tensor of type `to`: not from a float to
// an integer, nor from anything else to bool.
bool can_cast(ScalarType from, ScalarType to);

// Collects operands by priority: tensors with dimensions outrank zero-dim tensors, which outrank
// Python numbers; a lower rank only contributes when its category (bool < integral < float) is
// higher.
class ResultType {
 public:
  void add(const Tensor& tensor);
  void add(const Scalar& number);
  ScalarType result() const;

 private:
  ScalarType dims_ = ScalarType::kUndefined;
  ScalarType zero_dim_ = ScalarType::kUndefined;
  ScalarType number_ = ScalarType::kUndefined;
};

}  // namespace opweave
