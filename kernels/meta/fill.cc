// Filling tensors without data: nothing but the checks.
#include "opweave/kernels/meta/fill_.h"
#include "opweave/kernels/meta/zero_.h"
#include "runtime/pointwise/number.h"

namespace opweave::meta {

Tensor& fill__Scalar(Tensor& self, const Scalar& value) {
  check_fits(value, self.dtype());
  return self;
}

Tensor& fill__Tensor(Tensor& self, const Tensor& value) {
  OW_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
           value.dim(), " dimensions.");
  return self;
}

Tensor& zero_(Tensor& self) { return self; }

}  // namespace opweave::meta
