// Padding by a constant, and by elements of the tensor itself.
#include <algorithm>
#include <limits>

#include "opweave/kernels/composite/constant_pad_nd.h"
#include "opweave/kernels/composite/constant_pad_nd_backward.h"
#include "opweave/kernels/composite/pad.h"
#include "opweave/ops/constant_pad_nd.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/empty_strided.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/pad.h"
#include "opweave/ops/to.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// pad[0], pad[1] belong to the last dimension, the next pair to the one before it.
struct Pads {
  int64_t before, after;
};
Pads pads_of(IntList pad, int64_t dim, int64_t ndim) {
  const size_t pair = static_cast<size_t>(2 * (ndim - 1 - dim));
  return pair + 1 < pad.size() ? Pads{pad[pair], pad[pair + 1]} : Pads{0, 0};
}

// What a dimension of size n becomes. Paddings may be any numbers, sizes may not.
int64_t padded_size(int64_t n, int64_t before, int64_t after) {
  bool fits =
      before > std::numeric_limits<int64_t>::min() && after > std::numeric_limits<int64_t>::min();
  fits &= !__builtin_add_overflow(n, before, &n) && !__builtin_add_overflow(n, after, &n);
  OW_CHECK(fits, "pad(): padding (", before, ", ", after, ") is out of range");
  return n;
}

// The element that stands at position i of a padded dimension of size n.
int64_t reflected(int64_t i, int64_t n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }
int64_t replicated(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }

int64_t repeated(int64_t i, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  return begin + ((i - begin) % n + n) % n;
}

// In the memory format of `self`.
DimVector strides_of(IntList sizes, const Tensor& self) {
  DimVector strides = rule::strides_like(sizes, self);
  return strides.empty() ? contiguous_strides(sizes) : strides;
}

Tensor pad_by_elements(const Tensor& self, IntList pad, std::string_view mode) {
  Tensor result = self;
  for (int64_t d = self.dim() - static_cast<int64_t>(pad.size()) / 2; d < self.dim(); ++d) {
    const auto [before, after] = pads_of(pad, d, self.dim());
    const int64_t n = self.size(d);
    if (mode == "reflect") {
      OW_CHECK(before < n && after < n,
               "Argument #4: Padding size should be less than the "
               "corresponding input dimension, but got: padding (",
               before, ", ", after, ") at dimension ", d, " of input ", self.sizes());
    }
    if (mode == "circular") {
      OW_CHECK(before <= n && after <= n, "Padding value causes wrapping around more than once.");
    }
    const int64_t size = padded_size(n, before, after);
    OW_CHECK(mode == "circular" ? size >= 0 : size > 0, "pad(): dimension ", d, " of size ", n,
             " with padding (", before, ", ", after, ") leaves nothing");
    // What is repeated is what a negative padding leaves.
    const int64_t begin = std::max<int64_t>(-before, 0), end = n - std::max<int64_t>(-after, 0);
    OW_CHECK(mode != "circular" || size == 0 || begin < end, "pad(): dimension ", d, " of size ", n,
             " with padding (", before, ", ", after, ") leaves nothing to repeat");
    const auto source = [&, mode](int64_t i) {
      if (mode == "reflect") return reflected(i, n);
      if (mode == "replicate") return replicated(i, n);
      return repeated(i, begin, end);
    };
    Tensor index = make_tensor(IntList{size}, kLong, host_device());
    for (int64_t i = 0; i < size; ++i) index.data<int64_t>()[i] = source(i - before);
    result = opweave::index_select(result, d, opweave::to(index, self.device(), kLong));
  }
  if (rule::strides_like(result.sizes(), self).empty()) return result;
  return opweave::contiguous(
      result, self.dim() == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d);
}

}  // namespace

Tensor constant_pad_nd(const Tensor& self, IntList pad, const Scalar& value) {
  Tensor from = self;
  DimVector sizes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    const auto [before, after] = pads_of(pad, d, self.dim());
    const int64_t size = padded_size(self.size(d), before, after);
    OW_CHECK(size >= 0, "The input size ", self.size(d), ", plus negative padding ", before,
             " and ", after, " resulted in a negative output size, which is invalid.");
    sizes.push_back(size);
    const int64_t cut = std::max<int64_t>(-before, 0), end = std::max<int64_t>(-after, 0);
    if (cut + end > 0) from = opweave::narrow(from, d, cut, self.size(d) - cut - end);
  }
  Tensor out = opweave::empty_strided(sizes, strides_of(sizes, self), self.dtype(), self.layout(),
                                      self.device());
  opweave::fill_(out, value);
  Tensor to = out;
  for (int64_t d = 0; d < self.dim(); ++d) {
    const int64_t before = std::max<int64_t>(pads_of(pad, d, self.dim()).before, 0);
    if (sizes[static_cast<size_t>(d)] != from.size(d)) {
      to = opweave::narrow(to, d, before, from.size(d));
    }
  }
  opweave::copy_(to, from);
  return out;
}

Tensor constant_pad_nd_backward(const Tensor& grad, IntList pad) {
  DimVector negative;
  for (int64_t p : pad) negative.push_back(-p);
  return opweave::constant_pad_nd(grad, negative, 0);
}

Tensor pad(const Tensor& self, IntList pad, std::string_view mode, std::optional<double> value) {
  if (mode == "constant") return opweave::constant_pad_nd(self, pad, Scalar(value.value_or(0)));
  return pad_by_elements(self, pad, mode);
}

}  // namespace opweave::composite
