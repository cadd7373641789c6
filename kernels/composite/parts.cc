// Parts of tensors that are no views of them: copies, or memory that they share without that
// autograd knows of it.
#include "opweave/kernels/composite/fill.h"
#include "opweave/kernels/composite/narrow_copy.h"
#include "opweave/kernels/composite/unsafe_chunk.h"
#include "opweave/kernels/composite/unsafe_split.h"
#include "opweave/kernels/composite/unsafe_split_with_sizes.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/split.h"
#include "opweave/ops/split_with_sizes.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsafe_split.h"
#include "opweave/ops/unsafe_split_with_sizes.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::composite {
namespace {

Tensor contiguous_copy(const Tensor& t) { return opweave::clone(t, MemoryFormat::kContiguous); }

}  // namespace

Tensor fill_Scalar(const Tensor& self, const Scalar& value) {
  Tensor made = opweave::empty_like(self);
  return opweave::fill_(made, value);
}
Tensor fill_Tensor(const Tensor& self, const Tensor& value) {
  if (is_batched(value)) {  // other numbers for each example, also where the tensor is none's own
    const Tensor number = opweave::to(value, self.device(), self.dtype());
    return contiguous_copy(opweave::expand(number, self.sizes()));
  }
  Tensor made = opweave::empty_like(self);
  return opweave::fill_(made, value);
}

Tensor narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  return contiguous_copy(opweave::narrow(self, dim, start, length));
}

std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  const int64_t length = self.size(dim);
  if (length > 0) return opweave::unsafe_split(self, (length - 1) / chunks + 1, dim);
  return opweave::unsafe_split_with_sizes(self, DimVector(static_cast<size_t>(chunks), 0), dim);
}
std::vector<Tensor> unsafe_split_Tensor(const Tensor& self, int64_t split_size, int64_t dim) {
  return opweave::split(self, split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntList split_sizes, int64_t dim) {
  return opweave::split_with_sizes(self, split_sizes, dim);
}

}  // namespace opweave::composite
