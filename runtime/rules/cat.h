// What concatenation gives: the checks and the shape, for every target.
#pragma once

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

struct CatShape {
  int64_t dim;
  ScalarType dtype;  // promoted
  Device device;
  DimVector sizes;
  MemoryFormat format;  // contiguous, unless all parts are in the same other format
};

// An empty vector goes with any shape and adds nothing.
inline bool is_skipped_by_cat(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

CatShape cat_shape(TensorList tensors, int64_t dim);
// The result, its elements not set.
Tensor make_cat_result(const CatShape& shape);

namespace rule {

// ValueError for an empty list, RuntimeError for a tensor that does not go with the others.
DimVector cat_sizes(TensorList tensors, int64_t dim);
// None where they are contiguous.
DimVector cat_strides(TensorList tensors, IntList sizes);
ScalarType common_dtype(TensorList tensors);

}  // namespace rule

}  // namespace opweave
