// Places that are drawn by the weights which stand there.
#include "opweave/kernels/composite/multinomial.h"

#include "kernels/composite/every_example.h"
#include "opweave/ops/argmax.h"
#include "opweave/ops/clamp_max.h"
#include "opweave/ops/cumsum.h"
#include "opweave/ops/div.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/exponential_.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/searchsorted.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/topk.h"
#include "opweave/ops/uniform_.h"

namespace opweave::composite {
namespace {

using OptionalGenerator = std::optional<Generator>;

void check_weights(const Tensor& self) {
  if (self.numel() == 0) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  OW_CHECK(
      holds_everywhere(opweave::logical_and(opweave::ge(self, 0), opweave::lt(self, kInfinity))),
      "probability tensor contains either `inf`, `nan` or element < 0");
  const Tensor sums = ops::sum_dim_IntList::call(self, IntList{-1}, false, {});
  OW_CHECK(holds_everywhere(opweave::gt(sums, 0)),
           "invalid multinomial distribution (sum of probabilities <= 0)");
}

// The smallest of exponential times at these rates: the first event of several.
Tensor first_events(const Tensor& self, int64_t count, const OptionalGenerator& generator) {
  Tensor times = opweave::empty_like(self);
  times = opweave::exponential_(times, 1, generator);
  const Tensor rates = opweave::div(self, times);
  return count == 1 ? opweave::argmax(rates, -1, true) : std::get<1>(opweave::topk(rates, count));
}

// Each is the first place whose share of the sum of weights is above a uniform number.
Tensor drawn_again(const Tensor& self, int64_t count, const OptionalGenerator& generator) {
  Tensor shares = opweave::cumsum(opweave::to(self, kDouble), -1);
  shares = opweave::div(shares, opweave::narrow(shares, -1, self.size(-1) - 1, 1));
  DimVector sizes(self.sizes());
  sizes.back() = count;
  Tensor uniform = opweave::new_empty(shares, sizes);
  uniform = opweave::uniform_(uniform, 0, 1, generator);
  const Tensor places =
      ops::searchsorted_Tensor::call(shares, uniform, false, /*right=*/true, {}, {});
  return opweave::clamp_max(places, self.size(-1) - 1);
}

}  // namespace

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement,
                   OptionalGenerator generator) {
  check_weights(self);
  const bool again = replacement && num_samples > 1;
  return again ? drawn_again(self, num_samples, generator)
               : first_events(self, num_samples, generator);
}

}  // namespace opweave::composite
