// Copies of which a part is another tensor's.
#include <algorithm>

#include "opweave/kernels/composite/diagonal_scatter.h"
#include "opweave/kernels/composite/select_scatter.h"
#include "opweave/kernels/composite/slice_scatter.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/empty_strided.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/new_ones.h"
#include "opweave/ops/select.h"
#include "opweave/ops/slice.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::composite {
namespace {

// Whether several elements are in one place, as far as strides of zero tell.
bool is_expanded(const Tensor& self) {
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.strides()[d] == 0 && self.sizes()[d] > 1) return true;
  }
  return false;
}

// With the strides of the tensor, also where these leave gaps; under vmap without gaps, and for
// each example of either tensor. Of what was expanded each element has a place of its own.
Tensor copied_as_it_lies(const Tensor& self, const Tensor& src) {
  if (is_batched(src)) {
    return opweave::mul(
        self, opweave::new_ones(src, IntList{}, self.dtype(), self.layout(), self.device()));
  }
  if (self.is_contiguous() || is_batched(self) || is_expanded(self)) return opweave::clone(self);
  Tensor made = opweave::empty_strided(self.sizes(), self.strides(), self.dtype(), self.layout(),
                                       self.device());
  return opweave::copy_(made, self);
}

}  // namespace

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  Tensor made = copied_as_it_lies(self, src), part = opweave::select(made, dim, index);
  opweave::copy_(part, src);
  return made;
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  Tensor made = copied_as_it_lies(self, src), part = opweave::slice(made, dim, start, end, step);
  opweave::copy_(part, src);
  return made;
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  Tensor made = copied_as_it_lies(self, src), part = opweave::diagonal(made, offset, dim1, dim2);
  OW_CHECK(same_sizes(part.sizes(), src.sizes()),
           "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
           ", slice size = ", part.sizes());
  opweave::copy_(part, src);
  return made;
}

}  // namespace opweave::composite
