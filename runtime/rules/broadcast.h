// Shapes and strides of broadcast operands, and the order in which their dimensions are walked.
#pragma once

#include <span>

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// The broadcast shape of two shapes; RuntimeError in PyTorch's words otherwise.
DimVector broadcast_sizes(IntList a, IntList b);

// The strides in bytes of a tensor seen in a shape that it broadcasts to; 0 where it is repeated.
DimVector broadcast_strides(const Tensor& tensor, IntList shape);

// The dimensions of `shape`, the one to walk innermost first: the order of the strides of the
// operands, of which the earlier decide, and of the last dimension first where they do not.
DimVector dimension_order(IntList shape, std::span<const DimVector> strides);

// The strides in elements of a dense tensor whose dimensions lie in memory in this order.
DimVector strides_in_order(IntList shape, IntList order);
// The strides of a dense tensor laid out like another one, which may be strided or expanded.
DimVector dense_strides_like(const Tensor& like);

}  // namespace opweave
