// Quantiles of all elements, or along a dimension: elements in order, at fractional ranks.
#include "kernels/composite/every_example.h"
#include "kernels/composite/number_beside.h"
#include "opweave/kernels/composite/nanquantile.h"
#include "opweave/kernels/composite/quantile.h"
#include "opweave/ops/any.h"
#include "opweave/ops/ceil.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/floor.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/le.h"
#include "opweave/ops/lerp.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/movedim.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/round.h"
#include "opweave/ops/sort.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"

namespace opweave::composite {
namespace {

// The elements of ordered rows at whole ranks, which lie in them but for what float32 rounds up.
Tensor at_ranks(const Tensor& ordered, const Tensor& ranks) {
  return opweave::gather(ordered, -1,
                         opweave::clamp(opweave::to(ranks, kLong), 0, ordered.size(-1) - 1));
}

// The elements of ordered rows [*, n] at fractional ranks [*, k].
Tensor between(const Tensor& ordered, const Tensor& ranks, std::string_view interpolation) {
  if (interpolation == "lower") return at_ranks(ordered, opweave::floor(ranks));
  if (interpolation == "higher") return at_ranks(ordered, opweave::ceil(ranks));
  if (interpolation == "nearest") return at_ranks(ordered, opweave::round(ranks));
  const Tensor below = opweave::floor(ranks);
  const Tensor low = at_ranks(ordered, below), high = at_ranks(ordered, opweave::ceil(ranks));
  if (interpolation == "midpoint") return opweave::lerp(low, high, 0.5);
  return opweave::lerp(low, high, opweave::sub(ranks, below));
}

// Ranks [*, k] of the fractions `q` [k] in rows [*, n]. NaN is last in order: with `skips_nan` it
// is not counted, else it is what every fraction of its row finds.
Tensor ranks_of(const Tensor& rows, const Tensor& q, bool skips_nan) {
  DimVector sizes(rows.sizes());
  sizes.back() = q.numel();
  const Tensor missing = opweave::isnan(rows);
  const Scalar last(rows.size(-1) - 1);
  if (!skips_nan) {
    const Tensor ranks = opweave::expand(opweave::mul(q, last), sizes);
    return opweave::masked_fill(ranks, ops::any_dim::call(missing, -1, true), last);
  }
  const Tensor counts =
      ops::sum_dim_IntList::call(opweave::logical_not(missing), IntList{-1}, true, {});
  return opweave::expand(opweave::clamp_min(opweave::mul(q, opweave::sub(counts, 1)), 0), sizes);
}

struct Rows {
  Tensor rows;     // [*, n]: what there is a quantile of
  DimVector kept;  // the input's sizes, 1 where elements were
};

Rows rows_of(const Tensor& self, std::optional<int64_t> dim) {
  Rows found;
  if (!dim) {
    found.rows = opweave::reshape(self, {-1});
    found.kept = DimVector(static_cast<size_t>(self.dim()), 1);
    return found;
  }
  const int64_t d = wrap_dim(*dim, self.dim());
  found.rows = self.dim() == 0 ? opweave::unsqueeze(self, 0) : opweave::movedim(self, d, -1);
  found.kept = DimVector(self.sizes());
  if (self.dim() > 0) found.kept[static_cast<size_t>(d)] = 1;
  return found;
}

Tensor quantiles(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                 std::string_view interpolation, bool skips_nan) {
  const Rows of = rows_of(self, dim);
  const Tensor ordered = std::get<0>(opweave::sort(of.rows, -1));
  const Tensor ranks = ranks_of(of.rows, opweave::reshape(q, {q.numel()}), skips_nan);
  Tensor found = opweave::movedim(between(ordered, ranks, interpolation), -1, 0);
  if (keepdim) {
    DimVector sizes = of.kept;
    sizes.insert(0, q.numel());
    found = opweave::reshape(found, sizes);
  }
  return q.dim() == 0 ? opweave::squeeze(found, 0) : found;
}

void check_fractions(const char* name, const Tensor& q) {
  OW_CHECK(holds_everywhere(opweave::logical_and(opweave::ge(q, 0), opweave::le(q, 1))), name,
           "() q values must be in the range [0, 1]");
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  check_fractions("quantile", q);
  return quantiles(self, q, dim, keepdim, interpolation, /*skips_nan=*/false);
}
Tensor quantile_scalar(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                       std::string_view interpolation) {
  return quantiles(self, number_beside(self, q), dim, keepdim, interpolation, /*skips_nan=*/false);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  check_fractions("nanquantile", q);
  return quantiles(self, q, dim, keepdim, interpolation, /*skips_nan=*/true);
}
Tensor nanquantile_scalar(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                          std::string_view interpolation) {
  return quantiles(self, number_beside(self, q), dim, keepdim, interpolation, /*skips_nan=*/true);
}

}  // namespace opweave::composite
