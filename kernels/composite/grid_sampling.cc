// Images and volumes that are read between their elements. Places are in units of elements, a
// tensor [N, *out] for each dimension of an image, the first dimension first.
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/grid_sampler.h"
#include "opweave/ops/_flat_place.h"
#include "opweave/ops/_inside_or_none.h"
#include "opweave/ops/_within_borders.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/add.h"
#include "opweave/ops/clamp_max.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/floor.h"
#include "opweave/ops/fmod.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/grid_sampler.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/remainder.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/round.h"
#include "opweave/ops/rsub.h"
#include "opweave/ops/select.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/weighted_reads.h"
#include "opweave/ops/where.h"
#include "opweave/ops/with_gradient_of.h"

namespace opweave::composite {
namespace {

// What the numbers of arguments mean.
enum Interpolation : int64_t { kLinear = 0, kNearest = 1, kCubic = 2 };
enum Padding : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

using Places = std::vector<Tensor>;

// The indices of elements in a dimension of n, by whole places; -1 outside.
Tensor index_of(const Tensor& at, int64_t n) {
  constexpr int64_t kWholeFloats = int64_t{1} << 24;  // up to here each has a float32 of its own
  const Tensor place = opweave::detach(at);
  if (n <= kWholeFloats || at.dtype() == kDouble)
    return opweave::to(opweave::_inside_or_none(place, static_cast<double>(n)), kLong);
  // The last place may have been rounded upwards.
  const float end = std::nextafter(static_cast<float>(n), std::numeric_limits<float>::infinity());
  return opweave::clamp_max(opweave::to(opweave::_inside_or_none(place, end), kLong),
                            Scalar(n - 1));
}

// Mirrored at the borders `low` / 2 and `high` / 2 until they lie between.
Tensor reflected(const Tensor& x, int64_t low, int64_t high) {
  if (low == high) return opweave::mul(x, 0);  // which the grid gets zeros from
  const double start = static_cast<double>(low) / 2, span = static_cast<double>(high - low) / 2;
  const Tensor away = opweave::abs(opweave::sub(x, start));
  const Tensor flips = opweave::floor(opweave::div(away, span)), rest = opweave::fmod(away, span);
  const Tensor is_even = opweave::eq(opweave::remainder(flips, 2), 0);
  return opweave::where(is_even, opweave::add(rest, start),
                        opweave::add(opweave::rsub(rest, span), start));
}

Tensor padded(const Tensor& x, int64_t n, int64_t padding, bool align_corners) {
  Tensor place = x;
  if (padding == kReflection)
    place = align_corners ? reflected(x, 0, 2 * (n - 1)) : reflected(x, -1, 2 * n - 1);
  return padding == kZeros ? place : opweave::_within_borders(place, static_cast<double>(n - 1));
}

// Of a grid [N, *out, dims] whose last dimension begins with an image's last.
Places places_of(const Tensor& grid, IntList sizes, bool align_corners) {
  Places found;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto n = static_cast<double>(sizes[d]);
    const int64_t at = static_cast<int64_t>(sizes.size() - 1 - d);
    // Halves are exact: what is far out stays finite as long as it can.
    const Tensor x = opweave::add(opweave::select(grid, -1, at), 1);
    found.push_back(align_corners ? opweave::mul(x, (n - 1) / 2)
                                  : opweave::sub(opweave::mul(x, n / 2), 0.5));
  }
  return found;
}

// The elements around each place along one dimension, by whole places, and the weight of each:
// [N, taps, *out].
struct Taps {
  Tensor at, weight;
};

Tensor lows_of(const Tensor& place) { return opweave::floor(opweave::detach(place)); }

Tensor stacked(std::vector<Tensor> taps) { return opweave::stack(taps, 1); }

// The nearest element, which has all the weight.
Taps nearest_tap(const Tensor& place) {
  const Tensor at = opweave::unsqueeze(opweave::round(opweave::detach(place)), 1);
  return {at, opweave::ones_like(at)};
}

Taps linear_taps(const Tensor& place) {
  const Tensor low = lows_of(place), past = opweave::sub(place, low);
  return {stacked({low, opweave::add(low, 1)}), stacked({opweave::rsub(past, 1), past})};
}

constexpr double kA = -0.75;  // of the cubic convolution; R. Keys, 1981

Tensor near_weight(const Tensor& x) {
  const Tensor inner = opweave::mul(opweave::sub(opweave::mul(x, kA + 2), kA + 3), x);
  return opweave::add(opweave::mul(inner, x), 1);
}
Tensor far_weight(const Tensor& x) {
  const Tensor inner = opweave::mul(opweave::sub(opweave::mul(x, kA), 5 * kA), x);
  return opweave::sub(opweave::mul(opweave::add(inner, 8 * kA), x), 4 * kA);
}

Taps cubic_taps(const Tensor& place, int64_t n, int64_t padding, bool align_corners) {
  const Tensor low = lows_of(place), past = opweave::sub(place, low);
  const Tensor at =
      stacked({opweave::sub(low, 1), low, opweave::add(low, 1), opweave::add(low, 2)});
  const Tensor weight =
      stacked({far_weight(opweave::add(past, 1)), near_weight(past),
               near_weight(opweave::rsub(past, 1)), far_weight(opweave::rsub(past, 2))});
  return {padded(at, n, padding, align_corners), weight};
}

// Elements of an image without its dimensions, [N, taps, *out]; -1 is outside.
struct FlatTaps {
  Tensor index, weight;
};

// All pairs of taps of an outer and an inner dimension.
Tensor paired(const Tensor& outer, const Tensor& inner, const auto& with) {
  return opweave::flatten(with(opweave::unsqueeze(outer, 2), opweave::unsqueeze(inner, 1)), 1, 2);
}

// An image's dimension more, of n elements.
FlatTaps with_dimension(const FlatTaps& outer, const Taps& taps, int64_t n) {
  const Tensor index = index_of(taps.at, n);
  if (!outer.index.defined()) return {index, taps.weight};
  const auto place = [n](const Tensor& a, const Tensor& b) {
    return opweave::_flat_place(a, b, n);
  };
  const auto product = [](const Tensor& a, const Tensor& b) { return opweave::mul(a, b); };
  return {paired(outer.index, index, place), paired(outer.weight, taps.weight, product)};
}

// What the taps give of [N, C, *in], as [N, C, *out].
Tensor read(const Tensor& input, const FlatTaps& taps) {
  const IntList sizes = taps.index.sizes();
  const int64_t n = sizes[0], channels = input.size(1);
  int64_t elements = 1, places = 1;
  for (int64_t size : input.sizes().subspan(2)) elements *= size;
  for (int64_t size : sizes.subspan(2)) places *= size;
  const auto flat = [&](const Tensor& t) {
    return opweave::reshape(t, IntList{n, sizes[1], places});
  };
  // Of volumes PyTorch does not look at the weights of what is outside.
  const Tensor weight = input.dim() == 5
                            ? opweave::where(opweave::ge(taps.index, 0), taps.weight, Scalar(0))
                            : taps.weight;
  const Tensor found = opweave::weighted_reads(
      opweave::reshape(input, IntList{n, channels, elements, 1}), flat(taps.index), flat(weight));
  DimVector out{n, channels};
  for (int64_t size : sizes.subspan(2)) out.push_back(size);
  return opweave::reshape(found, out);
}

// To the grid, which chose the nearest elements, the gradient is zero.
Tensor with_no_gradient_to(const Tensor& grid, const Tensor& found) {
  if (!recording(grid)) return found;
  const Tensor nothing = opweave::mul(opweave::unsqueeze(opweave::select(grid, -1, 0), 1), 0);
  return opweave::with_gradient_of(found, opweave::add(found, nothing));
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  if (is_reduced_float(input.dtype())) {  // places rounded to few bits would be others
    const Tensor found =
        opweave::grid_sampler(opweave::to(input, kFloat), opweave::to(grid, kFloat),
                              interpolation_mode, padding_mode, align_corners);
    return opweave::to(found, input.dtype());
  }
  const IntList sizes = input.sizes().subspan(2);
  const Places places = places_of(grid, sizes, align_corners);
  FlatTaps taps;
  for (size_t d = 0; d < places.size(); ++d) {
    const int64_t n = sizes[d];
    const auto place = [&] { return padded(places[d], n, padding_mode, align_corners); };
    taps = with_dimension(taps,
                          interpolation_mode == kCubic
                              ? cubic_taps(places[d], n, padding_mode, align_corners)
                          : interpolation_mode == kNearest ? nearest_tap(place())
                                                           : linear_taps(place()),
                          n);
  }
  const Tensor found = read(input, taps);
  return interpolation_mode == kNearest ? with_no_gradient_to(grid, found) : found;
}

}  // namespace opweave::composite
