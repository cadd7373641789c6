// The copying and filling operators.
#include "kernels/cpu/copying/copy.h"

#include "opweave/kernels/cpu/copy_.h"
#include "opweave/kernels/cpu/fill_.h"
#include "opweave/kernels/cpu/zero_.h"

namespace opweave::cpu {

Tensor& copy_(Tensor& self, const Tensor& src, bool /*non_blocking*/) {
  copy_elements(self, src);
  return self;
}

Tensor& fill__Scalar(Tensor& self, const Scalar& value) {
  fill_elements(self, value);
  return self;
}

Tensor& fill__Tensor(Tensor& self, const Tensor& value) {
  if (!(self.storage() == value.storage())) {
    copy_elements(self, value);
    return self;
  }
  // One of the elements that are written.
  Tensor number = make_tensor({}, value.dtype(), value.device());
  copy_elements(number, value);
  copy_elements(self, number);
  return self;
}

Tensor& zero_(Tensor& self) {
  fill_elements(self, 0);
  return self;
}

}  // namespace opweave::cpu
