// GatherPlan: the geometry that gather and all kinds of scatter share. The elements of an index are
// visited together with the element of `self` that each names along `dim` and with the element at
// the index's own place in `other`.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {

// How an operand lies in the dimensions of the index; strides in bytes.
struct GatherOperand {
  DimVector outer;  // innermost first
  int64_t along = 0, inner = 0;
};

// A walk along `dim`, an inner dimension, and all others outside of both.
struct GatherPlan {
  // `dim` is counted from the front. `other` may be null: its strides are 0.
  GatherPlan(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* other);

  int64_t dim, inner_dim;  // the inner dimension is -1 when dim itself is the last one
  int64_t size;            // of self along dim
  int64_t along, inner_size, outer_count = 1;
  DimVector outer_sizes;  // innermost first
  GatherOperand self, index, other;

 private:
  GatherOperand operand(const Tensor& t) const;
};

}  // namespace opweave::plans
