// gaussian_nll_loss: the negative logarithm of the normal likelihood.
#include <cmath>
#include <numbers>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/gaussian_nll_loss.h"
#include "opweave/ops/add.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/div.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/log.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/loss_reduced.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/with_gradient_of.h"

namespace opweave::composite {
namespace {

// Whether sizes are those of `whole` but for one dimension, of one element.
bool is_one_in_one_dimension(IntList sizes, IntList whole) {
  if (sizes.size() != whole.size()) return false;
  int others = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == whole[d]) continue;
    if (sizes[d] != 1) return false;
    ++others;
  }
  return others == 1;
}

// A variance for each element, for each row, or a number for all.
Tensor beside(const Tensor& var, const Tensor& input) {
  const IntList sizes = var.sizes(), whole = input.sizes();
  if (var.impl()->is_wrapped_number()) {
    const ScalarType kind = is_floating(input.dtype()) ? input.dtype() : default_dtype();
    return opweave::expand(opweave::to(var, input.device(), kind), whole);
  }
  if (same_sizes(sizes, whole)) return var;
  if (!whole.empty() && same_sizes(sizes, whole.first(whole.size() - 1)))
    return opweave::unsqueeze(var, -1);
  OW_CHECK_VALUE(is_one_in_one_dimension(sizes, whole), "var is of incorrect size: ", sizes,
                 " for ", whole);
  return var;
}

}  // namespace

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& variance,
                         bool full, double eps, int64_t reduction) {
  const Tensor var = beside(variance, input);
  OW_CHECK_VALUE(holds_everywhere(opweave::logical_not(opweave::lt(var, 0))),
                 "var has negative entry/entries");
  // The gradient is that of the variance also where it is kept from being too small.
  const Tensor kept = opweave::with_gradient_of(opweave::clamp_min(opweave::detach(var), eps), var);
  // The square of the difference would be infinite sooner.
  const Tensor difference = opweave::sub(input, target);
  const Tensor distance = opweave::mul(difference, opweave::div(difference, kept));
  Tensor loss = opweave::mul(opweave::add(opweave::log(kept), distance), 0.5);
  if (full) loss = opweave::add(loss, 0.5 * std::log(2 * std::numbers::pi));
  return opweave::loss_reduced(loss, reduction);
}

}  // namespace opweave::composite
