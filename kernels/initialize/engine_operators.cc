// The operators that autograd itself calls: their types are checked here.
#include "kernels/initialize/engine_operators.h"

#include "opweave/ops/_local_scalar_dense.h"
#include "opweave/ops/add.h"
#include "opweave/ops/any.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/sum_to_size.h"
#include "opweave/ops/to.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/autograd/engine_ops.h"

namespace opweave {
namespace {

// Not into a new tensor with copy_(): vmap refuses that where each example has its gradient.
Tensor convert(const Tensor& gradient, ScalarType dtype, Device device) {
  return ops::to_device::call(gradient, device, dtype, /*non_blocking=*/false, /*copy=*/true,
                              std::nullopt);
}

Tensor new_empty(const Tensor& like, IntList size, ScalarType dtype, Device device) {
  return ops::new_empty::call(like, size, dtype, Layout::kStrided, device, std::nullopt);
}

Tensor ones_like(const Tensor& like) {
  return ops::ones_like::call(like, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                              std::nullopt);
}
Tensor zeros_like(const Tensor& like) {
  return ops::zeros_like::call(like, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                               std::nullopt);
}

}  // namespace

void hand_operators_to_autograd() {
  set_engine_operators({
      .add = &ops::add_Tensor::call,
      .add_ = &ops::add__Tensor::call,
      .copy_ = &ops::copy_::call,
      .as_strided = &ops::as_strided::call,
      .sum_to_size = &ops::sum_to_size::call,
      .fill_ = &ops::fill__Scalar::call,
      .new_empty = &new_empty,
      .isnan = &ops::isnan::call,
      .any = &ops::any::call,
      .item = &ops::_local_scalar_dense::call,
      .detach = &ops::detach::call,
      .ones_like = &ones_like,
      .zeros_like = &zeros_like,
      .convert = &convert,
  });
}

}  // namespace opweave
