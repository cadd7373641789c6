// In-place and out forms on top of the functional form.
#include "kernels/composite/write_result.h"

#include "kernels/composite/recording.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "runtime/core/type_promotion.h"

namespace opweave {
namespace {

void check_castable(std::string_view op, const Tensor& result, const Tensor& target) {
  OW_CHECK(can_cast(result.dtype(), target.dtype()), op, "(): result type ",
           scalar_type_name(result.dtype()), " can't be cast to the desired output type ",
           scalar_type_name(target.dtype()));
}

}  // namespace

Tensor value_before_write(const Tensor& self) {
  return composite::recording(self) ? clone(self) : self;
}

Tensor value_before_batched_write(const Tensor& self) {
  return is_batched(self) ? value_before_write(self) : self;
}

void write_inplace(std::string_view op, Tensor& self, const Tensor& result) {
  check_castable(op, result, self);
  OW_CHECK(same_sizes(self.sizes(), result.sizes()), op, "(): output with shape ", self.sizes(),
           " doesn't match the broadcast shape ", result.sizes());
  copy_(self, result);
}

void write_out(std::string_view op, Tensor& out, const Tensor& result) {
  check_castable(op, result, out);
  OW_CHECK(out.device() == result.device(), op, "(): expected the out tensor on device ",
           result.device(), " but got one on ", out.device());
  resize_tensor(out, result.sizes());
  copy_(out, result);
}

}  // namespace opweave
