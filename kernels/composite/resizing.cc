// Sums along one dimension after the other of elements times weights, which are computed by the
// host.
#include "kernels/composite/resizing.h"

#include <algorithm>
#include <iterator>

#include "kernels/composite/product_of.h"
#include "opweave/kernels/composite/_crossed_select.h"
#include "opweave/ops/_crossed_select.h"
#include "opweave/ops/_unsafe_view.h"
#include "opweave/ops/add.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/floor.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/movedim.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/weighted_reads.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::composite {
namespace {

// Whether a tensor lies with its channels last, also where elements between are left out. Not so
// one whose strides fit the order of its dimensions as well.
bool has_channels_last(const Tensor& t) {
  const IntList sizes = t.sizes(), strides = t.strides();
  if ((sizes.size() != 4 && sizes.size() != 5) || t.numel() == 0 || strides[1] == 0) return false;
  int64_t least = 0;
  const auto fits = [&](size_t d) {
    if (strides[d] < least || (d == 0 && least == strides[1])) return false;
    least = strides[d] * sizes[d];
    return true;
  };
  if (!fits(1)) return false;
  for (size_t d = sizes.size() - 1; d > 1; --d)
    if (!fits(d)) return false;
  return fits(0);
}

Tensor weighted(const Tensor& x, int64_t dim, const LineTaps& taps) {
  const auto d = static_cast<size_t>(dim);
  DimVector sizes = x.sizes();
  const IntList outer = x.sizes().first(d), inner = x.sizes().subspan(d + 1);
  const Tensor rows =
      opweave::reshape(x, IntList{1, product_of(outer), x.size(dim), product_of(inner)});
  // One table for all examples.
  const Tensor index = opweave::unsqueeze(opweave::to(taps.index, x.device(), kLong), 0);
  const Tensor weight = opweave::unsqueeze(opweave::to(taps.weight, x.device(), x.dtype()), 0);
  const Tensor found = opweave::weighted_reads(rows, index, weight);
  sizes[d] = taps.index.size(1);
  return opweave::_unsafe_view(found, sizes);
}

Tensor smooth_along(const Tensor& x, int64_t dim, const Resize& resize, const Smooth& how) {
  // Whatever the factor says, a size that stays is not computed.
  if ((how.filter == Filter::kLinear || how.covering) && resize.out == resize.size) return x;
  const auto taps = how.covering ? covering_taps : neighbour_taps;
  return weighted(x, dim, taps(resize, how.filter, how.align_corners));
}

Tensor bytes_along(const Tensor& x, int64_t dim, const Resize& resize, const Smooth& how) {
  if (resize.out == resize.size) return x;
  const Tensor sums = smooth_along(opweave::to(x, kFloat), dim, resize, how);
  const Tensor rounded = opweave::floor(opweave::add(sums, Scalar(0.5)));
  return opweave::to(opweave::clamp(rounded, Scalar(0), Scalar(255)), kByte);
}

Tensor nearest_of(const Tensor& x, const Resize& resize, bool exact) {
  if (exact) return exact_nearest_elements(resize);
  // As in PyTorch, images of the same or of twice the size are so whatever the factor says.
  const bool plain = resize.out == resize.size || resize.out == 2 * resize.size;
  return nearest_elements(x.dim() == 4 && plain ? Resize{resize.size, resize.out, {}} : resize);
}

// The places in all dimensions but the last of what is taken in each, as one of rows.
Tensor rows_of(const std::vector<Tensor>& elements, const Resizes& resizes) {
  DimVector sizes;
  for (size_t d = 0; d + 1 < resizes.size(); ++d) sizes.push_back(resizes[d].out);
  const Tensor rows = make_tensor(IntList{product_of(sizes)}, kLong, host_device());
  auto* to = rows.data<int64_t>();
  for (int64_t i = 0; i < rows.numel(); ++i) {
    int64_t rest = i, stride = 1;
    to[i] = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      to[i] += elements[d].data<int64_t>()[rest % sizes[d]] * stride;
      rest /= sizes[d];
      stride *= resizes[d].size;
    }
  }
  return rows;
}

// Rows and columns of x, whose spatial dimensions begin with `dim`, as images [B, H, W, R].
Tensor selected(const Tensor& x, int64_t dim, const Tensor& rows, const Tensor& columns,
                const Resizes& resizes) {
  const auto begin = static_cast<size_t>(dim), end = begin + resizes.size();
  const int64_t outer = product_of(x.sizes().first(begin)), last = x.sizes()[end - 1];
  const int64_t height = product_of(x.sizes().subspan(begin, resizes.size() - 1));
  const int64_t inner = product_of(x.sizes().subspan(end));
  const Tensor images = opweave::reshape(x, IntList{outer, height, last, inner});
  // A vmap takes the examples one by one, but for operators along one dimension.
  const Tensor found = is_batched(x) ? composite::_crossed_select(images, rows, columns)
                                     : opweave::_crossed_select(images, rows, columns);
  DimVector sizes = x.sizes();
  for (size_t d = 0; d < resizes.size(); ++d) sizes[begin + d] = resizes[d].out;
  return opweave::_unsafe_view(found, sizes);
}

// change(x, dim) of a tensor whose spatial dimensions begin with `dim`: [N, C, *spatial], or
// [N, *spatial, C] where it lies so.
template <class Change>
Tensor as_it_lies(const Tensor& self, const Change& change) {
  const bool last = has_channels_last(self);
  const Tensor x = last ? opweave::movedim(self, 1, -1) : self;
  const Tensor found = change(x, last ? 1 : 2);
  const Tensor result = found.is_same(x) ? opweave::clone(x) : found;  // no view of the input
  return last ? opweave::movedim(result, -1, 1) : result;
}

Tensor smooth_each(const Tensor& self, const Resizes& resizes, const Smooth& how) {
  const bool bytes = self.dtype() == kByte;
  return as_it_lies(self, [&](Tensor x, int64_t dim) {
    for (size_t i = 0; i < resizes.size(); ++i) {
      const size_t d = bytes ? resizes.size() - 1 - i : i;  // the last one first, as in PyTorch
      x = (bytes ? bytes_along : smooth_along)(x, dim + static_cast<int64_t>(d), resizes[d], how);
    }
    return x;
  });
}

}  // namespace

Tensor _crossed_select(const Tensor& self, const Tensor& rows, const Tensor& columns) {
  return opweave::index_select(opweave::index_select(self, 2, columns), 1, rows);
}

Tensor resized_to_nearest(const Tensor& self, const Resizes& resizes, bool exact) {
  std::vector<Tensor> elements;
  for (const Resize& resize : resizes) elements.push_back(nearest_of(self, resize, exact));
  const auto moved = [&self](const Tensor& t) { return opweave::to(t, self.device(), kLong); };
  const Tensor rows = moved(rows_of(elements, resizes)), columns = moved(elements.back());
  return as_it_lies(
      self, [&](const Tensor& x, int64_t dim) { return selected(x, dim, rows, columns, resizes); });
}

Tensor resized_smoothly(const Tensor& self, const Resizes& resizes, const Smooth& how) {
  if (!is_reduced_float(self.dtype())) return smooth_each(self, resizes, how);
  return opweave::to(smooth_each(opweave::to(self, kFloat), resizes, how), self.dtype());
}

}  // namespace opweave::composite
