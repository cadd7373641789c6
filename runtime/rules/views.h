// Rule functions of views: sizes, strides and offsets. Errors are those of PyTorch.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::rule {

// --- sizes, or strides
DimVector swapped(IntList list, int64_t dim0, int64_t dim1);
DimVector permuted(IntList list, IntList order);
// Of the list what belongs to dimensions whose size is not 1; only the named ones go.
DimVector squeezed(IntList list, IntList sizes);
DimVector squeezed(IntList list, IntList sizes, IntList dim);

// --- sizes
// The shape with a -1 replaced by what is left of `numel`. RuntimeError where it does not fit,
// which names the operator.
DimVector inferred(std::string_view op, IntList shape, int64_t numel);
DimVector expanded_sizes(IntList from, IntList to);

// --- strides
DimVector expanded_strides(IntList from, IntList strides, IntList to);
// Under which the same memory has another shape of as many elements. RuntimeError where there are
// none.
DimVector view_strides(IntList sizes, IntList strides, IntList shape);
bool has_view_strides(IntList sizes, IntList strides, IntList shape);

// --- places
// RuntimeError where the order names a dimension twice.
inline DimVector ordered(IntList dims, int64_t rank) { return wrap_dims("permute", dims, rank); }
// IndexError if it is out of range.
int64_t index_along(int64_t index, int64_t size);
// An end of a slice, as Python counts it.
int64_t clamped(std::optional<int64_t> index, int64_t otherwise, int64_t size);

}  // namespace opweave::rule
