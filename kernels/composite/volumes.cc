// Windows of volumes: a maximum or a sum over three dimensions is one over two, and then over the
// third.
#include <algorithm>

#include "kernels/composite/product_of.h"
#include "opweave/kernels/composite/adaptive_avg_pool3d.h"
#include "opweave/kernels/composite/adaptive_max_pool3d.h"
#include "opweave/kernels/composite/avg_pool3d.h"
#include "opweave/kernels/composite/max_pool3d_with_indices.h"
#include "opweave/ops/_unsafe_view.h"
#include "opweave/ops/adaptive_avg_pool2d.h"
#include "opweave/ops/adaptive_max_pool2d.h"
#include "opweave/ops/add.h"
#include "opweave/ops/avg_pool2d.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/div.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/max_pool2d_with_indices.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/to.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// One number for each of three dimensions; those of the two inner ones, and of the outer one beside
// a dimension that stays.
struct Triple {
  int64_t values[3];

  Triple(IntList list) : values{rule::pick(list, 0), rule::pick(list, 1), rule::pick(list, 2)} {}
  int64_t operator[](size_t d) const { return values[d]; }
  IntList inner() const { return IntList(values + 1, 2); }
  DimVector outer(int64_t beside) const { return DimVector{values[0], beside}; }
};
Triple or_kernel(IntList stride, IntList kernel) { return stride.empty() ? kernel : stride; }

// [N, D, H, W] of [*, D, H, W].
Tensor volumes_of(const Tensor& self) {
  const IntList last = self.sizes().last(3);
  const int64_t count = product_of(self.sizes().first(self.sizes().size() - 3));
  return opweave::reshape(self, IntList{count, last[0], last[1], last[2]});
}

// [N, D, H, W] as images [N, 1, D, H * W], and back.
Tensor columns_of(const Tensor& planes) {
  const IntList n = planes.sizes();
  return opweave::reshape(planes, IntList{n[0], 1, n[1], n[2] * n[3]});
}
Tensor with_planes(const Tensor& columns, const Tensor& planes) {
  const IntList n = planes.sizes();
  return opweave::reshape(columns, IntList{n[0], columns.size(2), n[2], n[3]});
}

// [N, D, H, W] as a result for `self`.
Tensor as_result(const Tensor& found, const Tensor& self) {
  DimVector sizes(self.sizes().first(self.sizes().size() - 3));
  for (int64_t size : found.sizes().last(3)) sizes.push_back(size);
  return opweave::_unsafe_view(found, sizes);  // a new tensor, however it is made
}

// The same with its channels last, if `self` has them there. Of volumes PyTorch keeps that for
// maxima of windows of one size alone.
Tensor as_it_lies(const Tensor& found, const Tensor& self) {
  const Tensor result = as_result(found, self);
  if (rule::strides_like(result.sizes(), self).empty()) return result;
  const bool is_batch = self.dim() == 5;
  return opweave::contiguous(
      result, is_batch ? MemoryFormat::kChannelsLast3d : MemoryFormat::kChannelsLast);
}

// A maximum over planes is at places[...] of its plane, and one over the depth of these at
// depths[...] of their columns.
Tensor places_in_volumes(const Tensor& volumes, const Tensor& places, const Tensor& depths) {
  const int64_t lines = places.size(2) * places.size(3);
  const Tensor at = opweave::flatten(depths, 1, -1);
  const Tensor in_plane = opweave::gather(opweave::flatten(places, 1, -1), 1, at);
  const Tensor depth = opweave::div(at, Scalar(lines), "floor");
  const int64_t plane = volumes.size(2) * volumes.size(3);
  const Tensor found = opweave::add(in_plane, opweave::mul(depth, Scalar(plane)));
  return opweave::reshape(found,
                          IntList{places.size(0), depths.size(2), places.size(2), places.size(3)});
}

// How many elements each window along a dimension of size n has.
Tensor window_lengths(const Tensor& like, int64_t n, int64_t count, int64_t kernel, int64_t stride,
                      int64_t padding, bool with_padding) {
  Tensor lengths = make_tensor(IntList{count}, kLong, host_device());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = i * stride - padding;
    const int64_t end = std::min(start + kernel, n + padding);
    lengths.data<int64_t>()[i] =
        with_padding ? end - start : std::min(end, n) - std::max<int64_t>(start, 0);
  }
  return opweave::to(lengths, like.device(), like.dtype());
}

Tensor quotient(const Tensor& sums, const auto& divisor) {
  if (sums.is_floating_point()) return opweave::div(sums, divisor);
  return opweave::div(sums, divisor, "trunc");
}

}  // namespace

std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntList kernel_size,
                                                   IntList stride, IntList padding,
                                                   IntList dilation, bool ceil_mode) {
  const Triple k(kernel_size), s = or_kernel(stride, kernel_size), p(padding), d(dilation);
  const Tensor volumes = volumes_of(self);
  const auto [planes, places] = opweave::max_pool2d_with_indices(volumes, k.inner(), s.inner(),
                                                                 p.inner(), d.inner(), ceil_mode);
  const auto [values, depths] = opweave::max_pool2d_with_indices(
      columns_of(planes), k.outer(1), s.outer(1), p.outer(0), d.outer(1), ceil_mode);
  return {as_it_lies(with_planes(values, planes), self),
          as_it_lies(places_in_volumes(volumes, places, depths), self)};
}

std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntList output_size) {
  const Triple wanted(output_size);
  const Tensor volumes = volumes_of(self);
  const auto [planes, places] = opweave::adaptive_max_pool2d(volumes, wanted.inner());
  if (product_of(output_size) == 0) {
    const DimVector none{volumes.size(0), wanted[0], wanted[1], wanted[2]};
    return {as_result(opweave::reshape(opweave::narrow(planes, 1, 0, 0), none), self),
            as_result(opweave::reshape(opweave::narrow(places, 1, 0, 0), none), self)};
  }
  const auto [values, depths] =
      opweave::adaptive_max_pool2d(columns_of(planes), IntList{wanted[0], wanted[1] * wanted[2]});
  return {as_result(with_planes(values, planes), self),
          as_result(places_in_volumes(volumes, places, depths), self)};
}

Tensor adaptive_avg_pool3d(const Tensor& self, IntList output_size) {
  const Triple wanted(output_size);
  const Tensor volumes = volumes_of(self);
  const Tensor planes = opweave::adaptive_avg_pool2d(volumes, wanted.inner());
  if (product_of(output_size) == 0) {
    const DimVector none{volumes.size(0), wanted[0], wanted[1], wanted[2]};
    return as_result(opweave::reshape(opweave::narrow(planes, 1, 0, 0), none), self);
  }
  const Tensor means =
      opweave::adaptive_avg_pool2d(columns_of(planes), IntList{wanted[0], wanted[1] * wanted[2]});
  return as_result(with_planes(means, planes), self);
}

Tensor avg_pool3d(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  const Triple k(kernel_size), s = or_kernel(stride, kernel_size), p(padding);
  const Tensor volumes = volumes_of(self);
  const Tensor planes =
      opweave::avg_pool2d(volumes, k.inner(), s.inner(), p.inner(), ceil_mode, true, 1);
  const Tensor sums = with_planes(opweave::avg_pool2d(columns_of(planes), k.outer(1), s.outer(1),
                                                      p.outer(0), ceil_mode, true, 1),
                                  planes);
  const bool pads = p[0] != 0 || p[1] != 0 || p[2] != 0;
  const bool alike = !ceil_mode && (count_include_pad || !pads);
  if (divisor_override || alike) {
    const int64_t divisor = divisor_override.value_or(product_of(IntList(k.values, 3)));
    return as_result(quotient(sums, Scalar(divisor)), self);
  }
  Tensor divisor;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t n = volumes.sizes()[d + 1], count = sums.sizes()[d + 1];
    DimVector shape(3 - d, 1);
    shape[0] = count;
    const Tensor lengths = opweave::reshape(
        window_lengths(sums, n, count, k[d], s[d], p[d], count_include_pad), shape);
    divisor = d == 0 ? lengths : opweave::mul(divisor, lengths);
  }
  return as_result(quotient(sums, divisor), self);
}

}  // namespace opweave::composite
