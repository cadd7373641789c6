// ReducePlan: the geometry of one reduction: kept and reduced dimensions, coalesced.
#pragma once

#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/reduction.h"

namespace opweave::plans {

// Dimensions with a stride in the input and, if kept, in the result; innermost first.
struct ReduceDims {
  DimVector sizes;
  DimVector strides;      // of the input, in elements
  DimVector out_strides;  // of the contiguous result; for reduced dimensions of no meaning

  size_t ndim() const { return sizes.size(); }
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t size : sizes) n *= size;
    return n;
  }
};

struct ReducePlan {
  ReduceDims kept;
  ReduceDims reduced;
  // The first kept dimension is nearer in memory than the first reduced one: whole rows are folded
  // into one another.
  bool by_columns = false;
};

// `ordered` keeps the order of the reduced dimensions.
ReducePlan plan_reduction(const Tensor& self, DimMask mask, bool ordered);

}  // namespace opweave::plans
