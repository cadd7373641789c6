// Which dimensions self[indices] reads and what shape the result has. The indices are those that
// kernels get: int64, of one shape, undefined for dimensions that stay whole.
#pragma once

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

struct IndexShape {
  DimVector indexed;      // dimensions of self
  DimVector before;       // dimensions of self that come first in the result
  DimVector after;        // and those that come last, behind the dimensions of the indices
  DimVector index_sizes;  // the shape of the indices
  DimVector sizes;        // the result's
};

// Adjacent indices leave their dimensions where they are; others bring them to the front.
IndexShape index_shape(const Tensor& self, TensorList indices);

namespace rule {

// RuntimeError unless the indices are such as kernels get.
DimVector indexed_sizes(const Tensor& self, TensorList indices);

}  // namespace rule

}  // namespace opweave
