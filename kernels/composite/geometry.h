// Geometry: sizes, strides and offset of a view, computed from those of a tensor, of views that no
// rule describes.
#pragma once

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

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
// A part of a dimension that is known to be inside.
Tensor part_of(const Tensor& self, int64_t dim, int64_t start, int64_t length);

}  // namespace opweave::composite
