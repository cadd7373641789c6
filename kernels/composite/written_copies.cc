// Copies of which a part is another tensor's.
#include <algorithm>

#include "opweave/kernels/composite/as_strided_scatter.h"
#include "opweave/kernels/composite/diagonal_scatter.h"
#include "opweave/kernels/composite/select_scatter.h"
#include "opweave/kernels/composite/slice_scatter.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/empty_strided.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/new_ones.h"
#include "opweave/ops/new_zeros.h"
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

// A copy and a tensor over all of the memory that it lies in, as the given one lies in its own: the
// copy itself where it fills that, where the tensor was expanded, and of examples, whose memory is
// not theirs alone.
struct CopyInMemory {
  Tensor copy, memory;
};

CopyInMemory copied_with_memory(const Tensor& self, const Tensor& src) {
  const auto elements = static_cast<int64_t>(self.storage()->nbytes() / self.element_size());
  const bool is_whole = self.is_contiguous() && elements == self.numel();
  if (is_whole || is_batched(self) || is_batched(src)) {
    const Tensor copy = copied_as_it_lies(self, src);
    return {copy, copy};
  }
  if (is_expanded(self)) {
    const Tensor copy = opweave::clone(self, MemoryFormat::kContiguous);
    return {copy, copy};
  }
  const Tensor memory = opweave::new_zeros(self, {elements});
  Tensor copy = opweave::as_strided(memory, self.sizes(), self.strides(), self.storage_offset());
  return {opweave::copy_(copy, self), memory};
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

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntList size, IntList stride,
                          std::optional<int64_t> storage_offset) {
  const auto [copy, memory] = copied_with_memory(self, src);
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  Tensor part = opweave::as_strided(memory, size, stride, offset);
  opweave::copy_(part, src);
  return copy;
}

}  // namespace opweave::composite
