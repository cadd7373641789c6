// Views that keep the order of the elements: other shapes, other dtypes, expansion.
#include "runtime/rules/views.h"

#include "kernels/composite/geometry.h"
#include "opweave/kernels/composite/_unsafe_view.h"
#include "opweave/kernels/composite/broadcast_tensors.h"
#include "opweave/kernels/composite/flatten.h"
#include "opweave/kernels/composite/ravel.h"
#include "opweave/kernels/composite/reshape.h"
#include "opweave/kernels/composite/unflatten.h"
#include "opweave/kernels/composite/view.h"
#include "opweave/ops/_unsafe_view.h"
#include "opweave/ops/alias.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/view.h"
#include "runtime/rules/broadcast.h"

namespace opweave::composite {
namespace {

// Sizes, strides and offset in elements of `ratio` times the old size, or 1/ratio.
struct Rescaled {
  const Tensor& self;
  ScalarType dtype;
  Geometry g = geometry_of(self);

  std::string names() const {
    return str(scalar_type_name(self.dtype()), " as ", scalar_type_name(dtype),
               " (different element sizes)");
  }

  void to_smaller(int64_t ratio) {
    OW_CHECK(self.stride(-1) == 1, "self.stride(-1) must be 1 to view ", names(), ", but got ",
             self.stride(-1));
    g.offset *= ratio;
    for (int64_t& stride : g.strides) stride *= ratio;
    g.strides.back() = 1;
    g.sizes.back() *= ratio;
  }

  void to_larger(int64_t ratio) {
    OW_CHECK(self.size(-1) % ratio == 0, "self.size(-1) must be divisible by ", ratio, " to view ",
             names(), ", but got ", self.size(-1));
    OW_CHECK(g.offset % ratio == 0, "self.storage_offset() must be divisible by ", ratio,
             " to view ", names(), ", but got ", g.offset);
    OW_CHECK(self.stride(-1) == 1, "self.stride(-1) must be 1 to view ", names(), ", but got ",
             self.stride(-1));
    for (size_t d = 0; d + 1 < g.strides.size(); ++d) {
      OW_CHECK(g.strides[d] % ratio == 0, "self.stride(", d, ") must be divisible by ", ratio,
               " to view ", names(), ", but got ", g.strides[d]);
      g.strides[d] /= ratio;
    }
    g.offset /= ratio;
    g.sizes.back() /= ratio;
  }
};

}  // namespace

Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  if (dtype == self.dtype()) return ops::alias::make_view(self);
  Rescaled r{self, dtype};
  const size_t from = self.element_size(), to = element_size(dtype);
  OW_CHECK(from == to || self.dim() > 0, "self.dim() cannot be 0 to view ", r.names());
  if (from > to) r.to_smaller(static_cast<int64_t>(from / to));
  if (from < to) r.to_larger(static_cast<int64_t>(to / from));
  Tensor view(make_intrusive<TensorImpl>(self.storage(), dtype, self.device(), r.g.sizes,
                                         r.g.strides, r.g.offset));
  view.impl()->share_version(*self.impl());
  return view;
}

Tensor _unsafe_view(const Tensor& self, IntList size) {
  return make_alias(self, size, contiguous_strides(size), self.storage_offset());
}

Tensor reshape(const Tensor& self, IntList shape) {
  const DimVector sizes = rule::inferred("reshape", shape, self.numel());
  if (rule::has_view_strides(self.sizes(), self.strides(), sizes))
    return opweave::view(self, sizes);
  return opweave::_unsafe_view(opweave::clone(self, MemoryFormat::kContiguous), sizes);
}

// Dense, unlike what reshape() gives of steps that continue one another.
Tensor ravel(const Tensor& self) {
  return opweave::reshape(self.is_contiguous() ? self : opweave::contiguous(self), IntList{-1});
}

Tensor flatten_using_ints(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const int64_t first = wrap_dim(start_dim, self.dim()), last = wrap_dim(end_dim, self.dim());
  OW_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return opweave::reshape(self, {1});
  if (first == last) return self;
  DimVector shape;
  int64_t merged = 1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d < first || d > last) {
      shape.push_back(self.sizes()[d]);
      continue;
    }
    merged *= self.sizes()[d];
    if (d == last) shape.push_back(merged);
  }
  return opweave::reshape(self, shape);
}

Tensor unflatten_int(const Tensor& self, int64_t dim, IntList sizes) {
  const int64_t d = wrap_dim(dim, self.dim());
  OW_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  OW_CHECK(self.dim() > 0, "unflatten: expected a tensor with dimensions");
  DimVector inner;
  try {
    inner = rule::inferred("unflatten", sizes, self.sizes()[d]);
  } catch (const Error&) {
    OW_THROW(ErrorKind::kRuntime, "unflatten: Provided sizes ", sizes,
             " don't multiply up to the size of dim ", d, " (", self.sizes()[d],
             ") in the input tensor");
  }
  DimVector shape(self.sizes().begin(), self.sizes().begin() + d);
  for (int64_t size : inner) shape.push_back(size);
  for (int64_t i = d + 1; i < self.dim(); ++i) shape.push_back(self.sizes()[i]);
  return opweave::view(self, shape);
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  DimVector shape;
  for (const Tensor& t : tensors) shape = broadcast_sizes(shape, t.sizes());
  std::vector<Tensor> results;
  results.reserve(tensors.size());
  for (const Tensor& t : tensors) results.push_back(opweave::expand(t, shape));
  return results;
}

}  // namespace opweave::composite
