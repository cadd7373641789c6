// Fractional max pooling (Graham, "Fractional Max-Pooling", 2014): windows of one size, whose
// starts are drawn from random samples.
#include <algorithm>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/fractional_max_pool2d.h"
#include "opweave/kernels/composite/fractional_max_pool3d.h"
#include "opweave/ops/add.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clamp_max.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/div.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/max.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/new_full.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "runtime/autograd/view.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/forward/dual.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// One dimension of the windows.
struct Extent {
  int64_t length, out, size;  // of the plane, of the result, of a window
};

// The whole numbers of floats, as indices of a dimension of `size` elements. A conversion says
// nothing of NaN, infinities and what int64 has no place for, and an index is where that would be
// read from memory: NaN is 0, what lies outside is the border.
Tensor to_places(Tensor x, int64_t size) {
  const Scalar last(std::max<int64_t>(size - 1, 0)), border(last.to_double());
  if (is_reduced_float(x.dtype())) x = opweave::to(x, kFloat);  // has a number for more places
  const Tensor above = opweave::where(opweave::gt(x, 0), x, Scalar(0.0));
  const Tensor within = opweave::where(opweave::lt(above, border), above, border);
  // A border that float32 has no number for was rounded, perhaps upwards.
  return opweave::clamp_max(opweave::to(within, kLong), last);
}

// [planes, out]: where the windows of each plane begin; the last one ends where the plane ends.
Tensor starts(const Tensor& samples, const Extent& e) {
  const int64_t left = e.length - e.size;
  const Tensor last = opweave::new_full(samples, IntList{samples.numel(), 1}, left, kLong);
  if (e.out == 1) return last;
  const Tensor step = opweave::div(opweave::new_full(samples, IntList{}, left), Scalar(e.out - 1));
  const Tensor offsets = ops::arange::call(e.out - 1, samples.dtype(), {}, samples.device(), {});
  const Tensor sample = opweave::unsqueeze(samples, -1);
  const auto place = [&](const Tensor& x) { return to_places(opweave::mul(x, step), left + 1); };
  const Tensor begun = opweave::sub(place(opweave::add(offsets, sample)), place(sample));
  // Of samples that are none (NaN, or not between 0 and 1) less than nothing.
  const Tensor parts[] = {opweave::clamp_min(begun, 0), last};
  return opweave::cat(parts, -1);
}

// [planes, elements of a window, outputs]: which elements of a plane each window has. The outputs
// are last, as what is computed runs along them.
Tensor places_of(const std::vector<Tensor>& starts, const std::vector<Extent>& extents) {
  const size_t n = extents.size();
  Tensor found;
  for (size_t d = 0; d < n; ++d) {
    const Tensor within = ops::arange::call(extents[d].size, kLong, {}, starts[d].device(), {});
    DimVector shape(1 + 2 * n, 1);
    shape[0] = starts[d].size(0);
    shape[1 + d] = extents[d].size;
    shape[1 + n + d] = extents[d].out;
    const Tensor index = opweave::reshape(
        opweave::add(opweave::unsqueeze(starts[d], 1), opweave::unsqueeze(within, 1)), shape);
    found = d == 0 ? index : opweave::add(opweave::mul(found, extents[d].length), index);
  }
  const auto last = static_cast<int64_t>(n);
  return opweave::flatten(opweave::flatten(found, 1 + last, -1), 1, last);
}

void check_samples(const char* name, const Tensor& samples) {
  const Tensor all = every_example(samples);
  check_not_differentiated(name, "_random_samples", all);
  OW_CHECK(adopted_tangent_level(all) == 0, "The function '", name,
           "' is not differentiable with respect to argument '_random_samples'. This input cannot "
           "have a tangent.");
}

// [planes, n]: a sample for each dimension of each plane.
Tensor samples_of_planes(const Tensor& self, const Tensor& samples, int64_t n) {
  const int64_t batch = self.dim() == n + 2 ? self.size(0) : 1;
  const Tensor kept = opweave::narrow(samples, 0, 0, batch);
  return opweave::reshape(kept, IntList{batch * self.size(-n - 1), n});
}

std::tuple<Tensor, Tensor> pooled(const char* name, const Tensor& self, IntList kernel_size,
                                  IntList output_size, const Tensor& random_samples, int64_t n) {
  check_samples(name, random_samples);
  DimVector shape(self.sizes().first(static_cast<size_t>(self.dim() - n)));
  std::vector<Extent> extents;
  int64_t area = 1;
  for (int64_t d = 0; d < n; ++d) {
    extents.push_back({self.size(d - n), rule::pick(output_size, d), rule::pick(kernel_size, d)});
    shape.push_back(extents.back().out);
    area *= extents.back().length;
  }
  if (std::ranges::any_of(extents, [](const Extent& e) { return e.out == 0; })) {
    const Tensor none = opweave::new_empty(self, shape);
    return {none, opweave::new_empty(self, shape, kLong)};
  }
  const Tensor samples = samples_of_planes(self, random_samples, n);
  std::vector<Tensor> begun;
  // Samples of images are for the width first, those of volumes in the order of their dimensions.
  for (int64_t d = 0; d < n; ++d)
    begun.push_back(
        starts(opweave::select(samples, 1, n == 2 ? 1 - d : d), extents[static_cast<size_t>(d)]));
  const Tensor places = places_of(begun, extents);
  const Tensor planes =
      opweave::reshape(opweave::flatten(self, -n), IntList{samples.size(0), area});
  const Tensor windows = opweave::reshape(
      opweave::gather(opweave::detach(planes), 1, opweave::flatten(places, 1)), places.sizes());
  const Tensor which = std::get<1>(ops::max_dim::call(windows, 1, true));
  const Tensor indices = opweave::flatten(opweave::gather(places, 1, which), 1);
  return {opweave::reshape(opweave::gather(planes, 1, indices), shape),
          opweave::reshape(indices, shape)};
}

}  // namespace

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntList kernel_size,
                                                 IntList output_size,
                                                 const Tensor& random_samples) {
  return pooled("fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2);
}

std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntList kernel_size,
                                                 IntList output_size,
                                                 const Tensor& random_samples) {
  return pooled("fractional_max_pool3d", self, kernel_size, output_size, random_samples, 3);
}

}  // namespace opweave::composite
