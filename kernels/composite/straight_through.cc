// Numbers that are differentiated as though they were others.
#include "opweave/kernels/composite/with_gradient_of.h"
#include "opweave/ops/clone.h"

namespace opweave::composite {

// Not `self + (other - other.detach())`, which has no value where `other` is infinite.
Tensor with_gradient_of(const Tensor& self, const Tensor&) { return opweave::clone(self); }

}  // namespace opweave::composite
