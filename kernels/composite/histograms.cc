// Counts of values between edges: histc, histogram.
#include <cmath>

#include "kernels/composite/number_beside.h"
#include "opweave/kernels/composite/histc.h"
#include "opweave/kernels/composite/histogram.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/diff.h"
#include "opweave/ops/div.h"
#include "opweave/ops/full.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/item.h"
#include "opweave/ops/le.h"
#include "opweave/ops/linspace.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/max.h"
#include "opweave/ops/min.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/searchsorted.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/where.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::composite {
namespace {

struct Range {
  double low, high;
};

double number_of(const Tensor& t) { return opweave::item(t).to_double(); }

// That of all elements, of which there is one.
Range range_of_elements(const Tensor& values) {
  return {number_of(ops::min::call(values)), number_of(ops::max::call(values))};
}

// One without an extent, made wider on both sides.
Range with_extent(const Range& range, double margin) {
  if (range.low != range.high) return range;
  return {range.low - margin, range.high + margin};
}

bool is_finite(const Range& range) { return std::isfinite(range.low) && std::isfinite(range.high); }

// What is within [low, high] at its place among `bins`, what is not with a weight of nothing.
Tensor count(const Tensor& places, const Tensor& weights, const Tensor& is_within, int64_t bins) {
  const Tensor counted = opweave::where(is_within, weights, Scalar(0));
  const Tensor none = opweave::full({bins}, 0, weights.dtype(), {}, weights.device());
  return opweave::index_add(none, 0, opweave::clamp(places, 0, bins - 1), counted);
}

Tensor are_within(const Tensor& values, const Tensor& low, const Tensor& high) {
  return opweave::logical_and(opweave::ge(values, low), opweave::le(values, high));
}

// As a float.
Tensor bins_before(Tensor values, int64_t bins, Range range) {
  const double largest = dtype_info(values.dtype()).largest;
  if (!(std::abs((range.high - range.low) * static_cast<double>(bins)) <= largest)) {
    // By a power of two, which changes no digit.
    const double scale = std::ldexp(1.0, -2 - std::ilogb(static_cast<double>(bins)));
    values = opweave::mul(values, scale);
    range = {range.low * scale, range.high * scale};
  }
  const Tensor low = number_beside(values, range.low), high = number_beside(values, range.high);
  return opweave::div(opweave::mul(opweave::sub(values, low), bins), opweave::sub(high, low));
}

using Histogram = std::tuple<Tensor, Tensor>;

Histogram histogram_between(const Tensor& self, const Tensor& edges, const Tensor& weight,
                            bool density) {
  const Tensor values = opweave::reshape(self, {-1});
  const Tensor weights =
      weight.defined() ? opweave::reshape(weight, {-1}) : opweave::ones_like(values);
  const Tensor places =
      opweave::sub(ops::searchsorted_Tensor::call(edges, values, false, true, {}, {}), 1);
  const Tensor is_within =
      are_within(values, opweave::select(edges, 0, 0), opweave::select(edges, 0, -1));
  Tensor found = count(places, weights, is_within, edges.numel() - 1);
  if (density) found = opweave::div(opweave::div(found, opweave::sum(found)), opweave::diff(edges));
  return {found, edges};
}

void check_range(const Range& range) {
  OW_CHECK(is_finite(range), "histogram(): dimension 0's range [", range.low, ", ", range.high,
           "] is not finite");
  OW_CHECK(range.low <= range.high, "histogram(): min should not exceed max, but got min ",
           range.low, " max ", range.high, " for dimension 0");
}

}  // namespace

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  const Tensor values = opweave::reshape(self, {-1});
  Range range{min.to_double(), max.to_double()};
  if (range.low == range.high && values.numel() != 0) range = range_of_elements(values);
  range = with_extent(range, 1);
  OW_CHECK(is_finite(range), "histc: range of [", range.low, ", ", range.high, "] is not finite");
  OW_CHECK(range.low < range.high, "histc: max must be larger than min, but got min ", range.low,
           " and max ", range.high);
  const Tensor is_within =
      are_within(values, number_beside(values, range.low), number_beside(values, range.high));
  // An index is an integer, which NaN and what lies outside have none for; nor has every place a
  // number in 16 bits.
  const Tensor inside = opweave::where(is_within, bins_before(values, bins, range), Scalar(0));
  return count(opweave::to(inside, kLong), opweave::ones_like(values), is_within, bins);
}

Histogram histogram_bins_tensor(const Tensor& self, const Tensor& bins, const Tensor& weight,
                                bool density) {
  return histogram_between(self, opweave::clone(bins), weight, density);
}

Histogram histogram_bin_ct(const Tensor& self, int64_t bins, std::optional<DoubleList> range,
                           const Tensor& weight, bool density) {
  Range ends{0, 1};
  if (range) {
    ends = {(*range)[0], (*range)[1]};
  } else if (self.numel() != 0) {
    ends = range_of_elements(self);
  }
  check_range(ends);
  ends = with_extent(ends, 0.5);
  const Tensor edges =
      opweave::linspace(ends.low, ends.high, bins + 1, self.dtype(), {}, self.device());
  return histogram_between(self, edges, weight, density);
}

}  // namespace opweave::composite
