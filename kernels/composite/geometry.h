// Geometry: sizes, strides and offset of a view, computed from those of a tensor. What view
// operators and their in-place forms have in common.
#pragma once

#include <optional>

#include "runtime/core/dim_vector.h"
#include "runtime/core/tensor.h"

namespace opweave::composite {

struct Geometry {
  DimVector sizes;
  DimVector strides;
  int64_t offset = 0;
};

inline Geometry geometry_of(const Tensor& self) {
  return {self.sizes(), self.strides(), self.storage_offset()};
}
inline Tensor view_of(const Tensor& self, const Geometry& g) {
  return make_alias(self, g.sizes, g.strides, g.offset);
}
inline Tensor& change(Tensor& self, const Geometry& g) {
  self.impl()->set_geometry(g.sizes, g.strides, g.offset);
  return self;
}

// --- shapes
// --------------------------------------------------------------------------------------- The shape
// with a -1 replaced by what is left of `numel`.
DimVector infer_shape(std::string_view op, IntList shape, int64_t numel);
// The strides under which the same memory has another shape of as many elements; nothing if there
// are none.
std::optional<DimVector> view_strides(IntList sizes, IntList strides, IntList shape);

// --- geometries of views: dimensions may be negative
Geometry transposed(const Tensor& self, int64_t dim0, int64_t dim1);
Geometry matrix_transposed(const Tensor& self, std::string_view op);
Geometry permuted(const Tensor& self, IntList dims);
Geometry expanded(const Tensor& self, IntList sizes);
Geometry squeezed(const Tensor& self);
Geometry squeezed(const Tensor& self, IntList dims);
Geometry unsqueezed(const Tensor& self, int64_t dim);
Geometry selected(const Tensor& self, int64_t dim, int64_t index);
Geometry sliced(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                std::optional<int64_t> end, int64_t step);
Geometry diagonal_of(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2);

// A part of a dimension that is known to be inside.
Tensor part_of(const Tensor& self, int64_t dim, int64_t start, int64_t length);

}  // namespace opweave::composite
