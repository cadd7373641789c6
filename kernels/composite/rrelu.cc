// rrelu: leaky_relu whose slopes are drawn in training (B. Xu et al., "Empirical Evaluation of
// Rectified Activations in Convolutional Network", 2015).
#include "opweave/kernels/composite/rrelu.h"

#include <cmath>

#include "opweave/kernels/composite/rrelu_.h"
#include "opweave/ops/add.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/empty.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/item.h"
#include "opweave/ops/le.h"
#include "opweave/ops/leaky_relu.h"
#include "opweave/ops/masked_scatter.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/uniform_.h"
#include "opweave/ops/where.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/random/mt19937.h"

namespace opweave::composite {
namespace {

using OptionalGenerator = std::optional<Generator>;

struct Bounds {
  double lower, upper;

  Bounds(const Scalar& low, const Scalar& high) : lower(low.to_double()), upper(high.to_double()) {
    OW_CHECK(std::isfinite(lower), "rrelu: lower bound must be finite, got ", lower);
    OW_CHECK(std::isfinite(upper), "rrelu: upper bound must be finite, got ", upper);
    OW_CHECK(lower <= upper, "Lower bound should be less than or equal to the upper bound, got ",
             lower, ", ", upper);
  }
  double mean() const { return (lower + upper) / 2; }
};

// Whether a call draws one number after the other, as PyTorch's CPU does.
bool draws_in_turn(const Tensor& self, const OptionalGenerator& generator) {
  if (!self.in_host_memory() || is_batched(self)) return false;
  return is_mt19937(generator && *generator ? *generator : default_generator(self.device()));
}

// In float64, for those elements alone that have a slope; ones for the others.
Tensor slopes_in_turn(const Tensor& self, const Bounds& bounds,
                      const OptionalGenerator& generator) {
  const ScalarType wide = self.dtype() == kDouble ? kDouble : kFloat;
  const auto rounded = [wide](double x) { return wide == kFloat ? static_cast<float>(x) : x; };
  const double lower = rounded(bounds.lower), upper = rounded(bounds.upper);
  const Tensor sloped = opweave::le(self, 0);
  const int64_t count = opweave::item(ops::sum::call(sloped, {})).to_long();
  Tensor drawn = opweave::empty(IntList{count}, kDouble, {}, self.device(), {}, {});
  drawn = opweave::uniform_(drawn, 0, 1, generator);
  drawn = opweave::add(opweave::mul(drawn, upper - lower), lower);  // rounded twice, as there
  return opweave::masked_scatter(opweave::ones_like(self, wide), sloped, opweave::to(drawn, wide));
}

Tensor slopes(const Tensor& self, const Bounds& bounds, const OptionalGenerator& generator) {
  if (draws_in_turn(self, generator)) return slopes_in_turn(self, bounds, generator);
  Tensor drawn = opweave::empty_like(self);
  return opweave::uniform_(drawn, bounds.lower, bounds.upper, generator);
}

Tensor bent(const Tensor& self, const Bounds& bounds, const OptionalGenerator& generator) {
  const Tensor below = opweave::mul(self, slopes(self, bounds, generator));
  return opweave::where(opweave::gt(self, 0), self, opweave::to(below, self.dtype()));
}

}  // namespace

Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
             OptionalGenerator generator) {
  const Bounds bounds(lower, upper);
  return training ? bent(self, bounds, generator) : opweave::leaky_relu(self, bounds.mean());
}

Tensor& rrelu_(Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
               OptionalGenerator generator) {
  const Bounds bounds(lower, upper);
  if (!training) return opweave::leaky_relu_(self, bounds.mean());
  return opweave::copy_(self, bent(self, bounds, generator), false);
}

}  // namespace opweave::composite
