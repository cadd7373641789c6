// Copies and movements of tensors without data: checks, shapes and dtypes.
#include "opweave/kernels/meta/_fill_linspace_.h"
#include "opweave/kernels/meta/_fill_range_.h"
#include "opweave/kernels/meta/copy_.h"
#include "opweave/kernels/meta/flip.h"
#include "opweave/kernels/meta/tril.h"
#include "opweave/kernels/meta/triu.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/matrix.h"

namespace opweave::meta {
namespace {

Tensor like(const Tensor& self) { return make_tensor(self.sizes(), self.dtype(), self.device()); }

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& src, bool /*non_blocking*/) {
  OW_CHECK_NOT_IMPLEMENTED(self.is_meta(), "Cannot copy out of meta tensor; no data!");
  OW_CHECK(same_sizes(broadcast_sizes(self.sizes(), src.sizes()), self.sizes()),
           "copy_(): src of shape ", src.sizes(), " does not broadcast to ", self.sizes());
  return self;
}

Tensor& _fill_range_(Tensor& self, const Scalar&, const Scalar&) { return self; }
Tensor& _fill_linspace_(Tensor& self, const Scalar&, const Scalar&) { return self; }

Tensor flip(const Tensor& self, IntList dims) {
  wrap_dims("flip", dims, self.dim());
  return like(self);
}

Tensor tril(const Tensor& self, int64_t) {
  check_is_matrix("tril", self);
  return like(self);
}

Tensor triu(const Tensor& self, int64_t) {
  check_is_matrix("triu", self);
  return like(self);
}

}  // namespace opweave::meta
