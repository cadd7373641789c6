// Elements in other places: repetition, rolling, diagonals.
#include "kernels/composite/geometry.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/diag.h"
#include "opweave/kernels/composite/diag_embed.h"
#include "opweave/kernels/composite/fliplr.h"
#include "opweave/kernels/composite/flipud.h"
#include "opweave/kernels/composite/repeat.h"
#include "opweave/kernels/composite/repeat_interleave.h"
#include "opweave/kernels/composite/roll.h"
#include "opweave/kernels/composite/tile.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/diag_embed.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/flip.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/repeat.h"
#include "opweave/ops/repeat_interleave.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/rules/checked_arithmetic.h"

namespace opweave::composite {
namespace {

// Along one dimension.
Tensor rolled(const Tensor& self, int64_t shift, int64_t dim) {
  const int64_t size = self.dim() == 0 ? 1 : self.sizes()[dim];
  if (size <= 1) return self;
  const int64_t moved = ((shift % size) + size) % size;
  if (moved == 0) return self;
  const Tensor parts[] = {part_of(self, dim, size - moved, moved),
                          part_of(self, dim, 0, size - moved)};
  return opweave::cat(parts, dim);
}

// A geometry in which repeated dimensions stand in front of those that they repeat.
struct Repetition {
  Geometry from, to;
  void add(int64_t size, int64_t from_stride, int64_t to_stride) {
    from.sizes.push_back(size);
    from.strides.push_back(from_stride);
    to.sizes.push_back(size);
    to.strides.push_back(to_stride);
  }
};

}  // namespace

Tensor repeat(const Tensor& self, IntList repeats) {
  OW_CHECK(
      static_cast<int64_t>(repeats.size()) >= self.dim(),
      "repeat(): Number of dimensions of repeat dims can not be smaller than number of dimensions "
      "of tensor: got ",
      repeats, " for a tensor of ", self.dim(), " dimensions");
  const size_t leading = repeats.size() - self.sizes().size();
  DimVector sizes(repeats);
  for (size_t d = leading; d < sizes.size(); ++d) {
    sizes[d] = checked_mul(sizes[d], self.sizes()[d - leading]);
  }
  const Tensor result = make_tensor(sizes, self.dtype(), self.device());
  if (result.numel() == 0) return result;
  Repetition r;
  r.from.offset = self.storage_offset();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t inner = d < leading ? 1 : self.sizes()[d - leading];
    const int64_t stride = result.strides()[d];
    if (repeats[d] != 1) r.add(repeats[d], 0, stride * inner);
    if (inner != 1) r.add(inner, self.strides()[d - leading], stride);
  }
  copy_into(view_of(result, r.to), view_of(self, r.from));
  return result;
}

Tensor tile(const Tensor& self, IntList dims) {
  DimVector repeats(dims);
  while (static_cast<int64_t>(repeats.size()) < self.dim()) repeats.insert(0, 1);
  return opweave::repeat(self, repeats);
}

Tensor repeat_interleave_self_Tensor(const Tensor& self, const Tensor& repeats,
                                     std::optional<int64_t> dim,
                                     std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : opweave::flatten(self);
  const int64_t d = wrap_dim(dim.value_or(0), input.dim());
  const int64_t size = input.dim() == 0 ? 1 : input.sizes()[d];
  OW_CHECK(repeats.dim() <= 1, "repeat_interleave(): repeats must be 0-dim or 1-dim tensor");
  OW_CHECK(repeats.numel() == 1 || repeats.numel() == size,
           "repeat_interleave(): repeats must have the same size as input along dim, but got "
           "repeats.size(0) = ",
           repeats.numel(), " and input.size(", d, ") = ", size);
  const Tensor each = opweave::expand(opweave::reshape(repeats, {-1}), {size});
  // Positions need not have a place in the dtype of the repeats.
  const bool whole = is_integral(each.dtype(), false) && contains(dtypes::kCommon, each.dtype());
  return opweave::index_select(
      input, d, opweave::repeat_interleave(whole ? opweave::to(each, kLong) : each, output_size));
}

Tensor repeat_interleave_self_int(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                                  std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : opweave::flatten(self);
  const int64_t d = wrap_dim(dim.value_or(0), input.dim());
  const int64_t wanted = checked_mul(input.dim() == 0 ? 1 : input.sizes()[d], repeats);
  OW_CHECK(output_size.value_or(wanted) == wanted, "repeat_interleave(): allocated size ",
           output_size, " does not match the required size ", wanted);
  DimVector sizes(input.sizes());
  sizes.insert(d + 1, repeats);
  const Tensor expanded = opweave::expand(opweave::unsqueeze(input, d + 1), sizes);
  return opweave::flatten(opweave::clone(expanded, MemoryFormat::kContiguous), d, d + 1);
}

Tensor roll(const Tensor& self, IntList shifts, IntList dims) {
  if (dims.empty()) {
    const Tensor dense =
        self.is_contiguous() ? self : opweave::clone(self, MemoryFormat::kContiguous);
    const Tensor line = make_alias(dense, {self.numel()}, {1}, dense.storage_offset());
    const Tensor moved = rolled(line, shifts[0], 0);
    if (moved.is_same(line)) return opweave::clone(self, MemoryFormat::kContiguous);
    return make_alias(moved, self.sizes(), contiguous_strides(self.sizes()), 0);
  }
  Tensor result = self;
  for (size_t i = 0; i < dims.size(); ++i) {
    result = rolled(result, shifts[i], wrap_dim(dims[i], self.dim()));
  }
  return result.is_same(self) ? opweave::clone(self) : result;
}

Tensor flipud(const Tensor& self) { return opweave::flip(self, IntList{0}); }

Tensor fliplr(const Tensor& self) { return opweave::flip(self, IntList{1}); }

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t ndim = self.dim() + 1;
  const int64_t a = wrap_dim(dim1, ndim), b = wrap_dim(dim2, ndim);
  OW_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  OW_CHECK(self.dim() > 0, "diag_embed() needs a tensor with at least one dimension");
  int64_t side = self.sizes().back();
  OW_CHECK(offset < 0 ? !__builtin_sub_overflow(side, offset, &side)
                      : !__builtin_add_overflow(side, offset, &side),
           "diag_embed(): offset ", offset, " is out of range");
  DimVector sizes(self.sizes());
  sizes.pop_back();
  sizes.insert(std::min(a, b), side);
  sizes.insert(std::max(a, b), side);
  const Tensor result = zeroed(make_tensor(sizes, self.dtype(), self.device()));
  copy_into(ops::diagonal::make_view(result, offset, a, b), self);
  return result;
}

Tensor diag(const Tensor& self, int64_t diagonal) {
  OW_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ",
           self.dim(), "D");
  if (self.dim() == 1) return opweave::diag_embed(self, diagonal);
  return opweave::clone(opweave::diagonal(self, diagonal));
}

}  // namespace opweave::composite
