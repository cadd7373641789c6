// What a gradient scaler does with gradients and with its scale, without asking a device for a
// number.
#include "opweave/kernels/composite/_amp_foreach_non_finite_check_and_unscale_.h"
#include "opweave/kernels/composite/_amp_update_scale_.h"
#include "opweave/ops/add.h"
#include "opweave/ops/all.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/isfinite.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/view.h"
#include "opweave/ops/where.h"

namespace opweave::composite {
namespace {

// Of one element: a number, which broadcasts to any shape.
Tensor number(const Tensor& t) { return opweave::view(t, IntList{}); }

}  // namespace

void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale) {
  const Tensor factor = number(inv_scale);
  Tensor found = number(found_inf);
  for (const Tensor& t : self) {
    if (t.numel() == 0) continue;
    Tensor gradient = t;
    const Tensor is_bad = opweave::logical_not(opweave::all(opweave::isfinite(gradient)));
    opweave::masked_fill_(found, is_bad, Scalar(1));
    opweave::mul_(gradient, factor);
  }
}

Tensor& _amp_update_scale_(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                           double scale_growth_factor, double scale_backoff_factor,
                           int64_t growth_interval) {
  Tensor scale = number(self), tracker = number(growth_tracker);
  const Tensor found = opweave::ne(number(found_inf), Scalar(0));
  const Tensor steps = opweave::add(tracker, Scalar(1));
  const Tensor is_due = opweave::logical_and(opweave::logical_not(found),
                                             opweave::eq(steps, Scalar(growth_interval)));
  const Tensor grown = opweave::mul(scale, Scalar(scale_growth_factor));
  // One that would overflow stays.
  const Tensor grows = opweave::logical_and(is_due, opweave::isfinite(grown));
  const Tensor smaller = opweave::mul(scale, Scalar(scale_backoff_factor));
  opweave::copy_(scale, opweave::where(found, smaller, opweave::where(grows, grown, scale)));
  opweave::copy_(tracker,
                 opweave::masked_fill(steps, opweave::logical_or(found, is_due), Scalar(0)));
  return self;
}

}  // namespace opweave::composite
