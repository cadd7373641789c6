// Indexing with tensors: arguments are prepared here, elements are moved by kernels of the target.
#include "kernels/composite/element_fits.h"
#include "kernels/composite/geometry.h"
#include "kernels/composite/index_arguments.h"
#include "kernels/composite/new_tensor.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/index.h"
#include "opweave/kernels/composite/index_add.h"
#include "opweave/kernels/composite/index_backward.h"
#include "opweave/kernels/composite/index_copy.h"
#include "opweave/kernels/composite/index_fill.h"
#include "opweave/kernels/composite/index_fill_.h"
#include "opweave/kernels/composite/index_put.h"
#include "opweave/kernels/composite/index_put_.h"
#include "opweave/kernels/composite/index_select_backward.h"
#include "opweave/ops/_index.h"
#include "opweave/ops/_index_put_.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/index_copy.h"
#include "opweave/ops/index_fill.h"
#include "opweave/ops/index_put.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/item.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/masked_select.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/rules/index.h"
#include "runtime/rules/overlap.h"

namespace opweave::composite {
namespace {

// A mask over the dimensions from `at` on, so that it broadcasts against all of them.
Tensor with_dims(const Tensor& mask, int64_t ndim, int64_t at = 0) {
  Geometry g = geometry_of(mask);
  for (int64_t i = 0; i < at; ++i) {
    g.sizes.insert(0, 1);
    g.strides.insert(0, 1);
  }
  while (static_cast<int64_t>(g.sizes.size()) < ndim) {
    g.sizes.push_back(1);
    g.strides.push_back(1);
  }
  return view_of(mask, g);
}

void check_values(const Tensor& self, const Tensor& values) {
  OW_CHECK(self.dtype() == values.dtype(),
           "Index put requires the source and destination dtypes match, got ",
           scalar_type_name(self.dtype()), " for the destination and ",
           scalar_type_name(values.dtype()), " for the source.");
}

Tensor broadcast_values(const Tensor& values, IntList sizes) {
  DimVector have(values.sizes());
  while (have.size() > sizes.size() && have[0] == 1) have.erase(0);
  bool fits = have.size() <= sizes.size();
  for (size_t i = 1; i <= have.size() && fits; ++i) {
    const int64_t size = have[have.size() - i];
    fits = size == 1 || size == sizes[sizes.size() - i];
  }
  OW_CHECK(fits, "shape mismatch: value tensor of shape ", values.sizes(),
           " cannot be broadcast to indexing result of shape ", sizes);
  const Tensor trimmed =
      have.size() == values.sizes().size() ? values : opweave::reshape(values, have);
  return ops::expand::make_view(trimmed, sizes, false);
}

// A mask without dimensions is about a dimension of size 1, which the result's `self` has.
struct Indexed {
  Tensor self;
  std::vector<Tensor> indices;
};
Indexed with_dims_for_scalar_masks(const Tensor& self, TensorList indices) {
  Indexed result{self, {indices.begin(), indices.end()}};
  int64_t at = 0;
  for (Tensor& index : result.indices) {
    const bool masks = index.defined() && is_mask(index);
    if (!masks || index.dim() > 0) {
      at += masks ? index.dim() : 1;
      continue;
    }
    OW_CHECK_INDEX(at <= result.self.dim(), "too many indices for tensor of dimension ", self.dim(),
                   " (got ", indices.size(), ")");
    Geometry g = geometry_of(result.self);
    g.sizes.insert(static_cast<size_t>(at), 1);
    g.strides.insert(static_cast<size_t>(at), 1);
    result.self = view_of(result.self, g);
    index = with_dims(index, 1);
    ++at;
  }
  return result;
}

// self[indices] = values, where nothing has to be recorded.
void put(const Tensor& written, TensorList given, const Tensor& values, bool accumulate) {
  auto [self, indices] = with_dims_for_scalar_masks(written, given);
  warn_of_repeated_elements(self, "index_put_", "tensor[indices] = tensor");
  const bool repeats = repeats_elements(self);
  const bool fills = values.numel() == 1 && values.in_host_memory() && !accumulate && !repeats;
  if (const OnlyMask only = fills ? only_mask(self, indices) : OnlyMask{}; only.mask != nullptr) {
    const Tensor mask = with_dims(*only.mask, self.dim(), only.at);
    opweave::masked_fill_(self, mask, opweave::item(values));
    return;
  }
  check_values(self, values);
  const std::vector<Tensor> prepared = index_arguments(self, indices);
  const DimVector sizes = index_shape(self, prepared).sizes;
  OW_CHECK(values.device() == self.device() || values.numel() == 1,
           "Expected all tensors to be on the same device, but got values is on ", values.device(),
           ", different from other tensors on ", self.device(),
           " (when checking argument in method index_put_)");
  Tensor source = opweave::to(values, self.device(), values.dtype());
  check_apart(self, source);
  if (source.storage() == self.storage()) source = opweave::clone(source);
  opweave::_index_put_(self, prepared, broadcast_values(source, sizes), accumulate);
}

// Where the host can read them; elsewhere the kernel says what is wrong.
void check_positions(const Tensor& index, int64_t size, int64_t dim) {
  if (!index.in_host_memory()) return;
  const Tensor all = opweave::contiguous(index);
  const auto* positions = static_cast<const int64_t*>(all.raw_data());
  for (int64_t i = 0; i < all.numel(); ++i) {
    OW_CHECK_INDEX(positions[i] >= -size && positions[i] < size, "index_fill_(): index ",
                   positions[i], " is out of bounds for dimension ", dim, " with size ", size);
  }
}

}  // namespace

Tensor index_Tensor(const Tensor& given, TensorList given_indices) {
  const auto [self, indices] = with_dims_for_scalar_masks(given, given_indices);
  const Tensor* mask = only_mask(self, indices).mask;
  if (mask != nullptr && mask->dim() == self.dim() && indices.size() == 1) {
    return opweave::masked_select(self, *mask);
  }
  return opweave::_index(self, index_arguments(self, indices));
}

Tensor& index_put_(Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  put(self, indices, values, accumulate);
  return self;
}

Tensor index_put(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  Tensor result = opweave::clone(self);
  put(result, indices, values, accumulate);
  return result;
}

Tensor index_backward(const Tensor& grad, IntList sizes, TensorList indices) {
  Tensor result = zeros_of(sizes, grad);
  return opweave::index_put_(result, indices, grad, /*accumulate=*/true);
}

Tensor index_select_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& index) {
  Tensor result = zeros_of(sizes, grad);
  return opweave::index_add_(result, dim, index, grad);
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  Tensor result = opweave::clone(self, MemoryFormat::kContiguous);
  return opweave::index_add_(result, dim, index, source, alpha);
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result = opweave::clone(self, MemoryFormat::kContiguous);
  return opweave::index_copy_(result, dim, index, source);
}

// A fill is a copy of one value, which broadcasting repeats.
Tensor& index_fill__int_Scalar(Tensor& self, int64_t dim, const Tensor& index,
                               const Scalar& value) {
  return opweave::index_fill_(self, dim, index,
                              filled(make_tensor({}, self.dtype(), self.device()), value));
}

Tensor& index_fill__int_Tensor(Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& value) {
  const int64_t d = wrap_dim(dim, self.dim());
  // A number has one position, which may be listed several times.
  Tensor target = self.dim() == 0 ? ops::unsqueeze::make_view(self, 0) : self;
  warn_of_repeated_elements(self, "index_fill_", "tensor[indices] = scalar");
  check_positions(index, target.sizes()[d], d);
  check_element_fits(value, self.dtype());
  const Tensor source = opweave::to(value, self.device(), self.dtype());
  DimVector sizes(target.sizes());
  sizes[d] = index.numel();
  std::vector<Tensor> indices(static_cast<size_t>(d) + 1);
  indices.back() = opweave::contiguous(opweave::reshape(index, {index.numel()}));
  opweave::_index_put_(target, indices, ops::expand::make_view(source, sizes, false), false);
  return self;
}

Tensor index_fill_int_Tensor(const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& value) {
  Tensor result = opweave::clone(self);
  return opweave::index_fill_(result, dim, index, value);
}

}  // namespace opweave::composite
