// Parts of tensors.
#include "kernels/composite/geometry.h"

namespace opweave::composite {

Tensor part_of(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  Geometry g = geometry_of(self);
  g.offset += start * g.strides[dim];
  g.sizes[dim] = length;
  return view_of(self, g);
}

}  // namespace opweave::composite
