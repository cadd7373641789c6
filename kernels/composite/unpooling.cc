// Zeros with maxima in the places where pooling found them: max_unpool1d, 2d, 3d.
#include "kernels/composite/channels_last.h"
#include "opweave/kernels/composite/max_unpool1d.h"
#include "opweave/kernels/composite/max_unpool2d.h"
#include "opweave/kernels/composite/max_unpool3d.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/new_zeros.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter.h"

namespace opweave::composite {
namespace {

int64_t element(IntList list, size_t d) { return list.size() == 1 ? list[0] : list[d]; }

// The sizes of what was pooled to those of `self`, in its last dimensions.
DimVector unpooled(const Tensor& self, size_t dims, IntList kernel, IntList stride, IntList padding,
                   std::optional<IntList> output_size) {
  if (output_size) return DimVector(output_size->last(dims));
  DimVector sizes;
  for (size_t d = 0; d < dims; ++d) {
    const int64_t pooled = self.size(static_cast<int64_t>(d) - static_cast<int64_t>(dims));
    const int64_t step = element(stride.empty() ? kernel : stride, d);
    sizes.push_back((pooled - 1) * step - 2 * element(padding, d) + element(kernel, d));
  }
  return sizes;
}

Tensor placed(const Tensor& self, const Tensor& indices, const DimVector& sizes) {
  const auto dims = static_cast<int64_t>(sizes.size());
  DimVector flat(self.sizes().first(static_cast<size_t>(self.dim() - dims))), whole = flat;
  flat.push_back(1);
  for (int64_t n : sizes) {
    flat.back() *= n;
    whole.push_back(n);
  }
  const Tensor found =
      ops::scatter_src::call(opweave::new_zeros(self, flat), -1, opweave::flatten(indices, -dims),
                             opweave::flatten(self, -dims));
  return opweave::reshape(found, whole);
}

}  // namespace

Tensor max_unpool1d(const Tensor& self, const Tensor& indices, IntList kernel_size, IntList stride,
                    IntList padding, std::optional<IntList> output_size) {
  return placed(self, indices, unpooled(self, 1, kernel_size, stride, padding, output_size));
}

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntList kernel_size, IntList stride,
                    IntList padding, std::optional<IntList> output_size) {
  const Tensor found =
      placed(self, indices, unpooled(self, 2, kernel_size, stride, padding, output_size));
  const auto format = self.is_contiguous() ? std::nullopt : channels_last_of(self);
  return opweave::contiguous(found, format.value_or(MemoryFormat::kContiguous));
}

Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntList kernel_size, IntList stride,
                    IntList padding, std::optional<IntList> output_size) {
  return placed(self, indices, unpooled(self, 3, kernel_size, stride, padding, output_size));
}

}  // namespace opweave::composite
