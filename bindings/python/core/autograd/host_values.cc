// Values of tensors as the program reads them, also in the midst of vmap and of derivatives.
#include "bindings/python/core/autograd/host_values.h"

#include <cstring>

#include "bindings/python/core/autograd/captures.h"
#include "bindings/python/core/functions/operators.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/read_element.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/forward/tangents.h"

namespace opweave::python {
namespace {

[[noreturn]] void refuse_values() {
  OW_THROW(
      ErrorKind::kRuntime,
      "vmap: the values of this tensor differ between the examples. A function under vmap cannot "
      "read them as Python numbers or arrays (.item(), bool(), .tolist(), .numpy()), nor decide "
      "by them");
}

// The values, in host memory, of a batched tensor that are the same in every example. Where
// derivatives are taken, examples may differ in them alone: several directions at one point
// (jacfwd(), hessian()), or gradients for each example by parameters that all share. A function may
// decide by what they have in common. Whether values differ is seen when they are read: they are
// the same in each example, bit by bit, or it is an error.
Tensor same_for_all(const Tensor& batched) {
  if (tangent_depth() == 0 && !in_differentiated_function()) refuse_values();
  const NoGradGuard no_grad;
  const ForwardLimitGuard no_tangents(0);
  Tensor all = batched;
  int64_t levels = 0;
  for (; is_batched(all); ++levels) all = batched_value(all).value;
  const Tensor values = on_host(operators::clone(all, MemoryFormat::kContiguous));
  const size_t bytes = static_cast<size_t>(batched.numel()) * values.element_size();
  const size_t all_bytes = static_cast<size_t>(values.numel()) * values.element_size();
  if (all_bytes == 0 && (bytes > 0 || values.size(0) == 0)) refuse_values();  // of no example
  const auto* data = static_cast<const char*>(values.raw_data());
  for (size_t at = bytes; at < all_bytes; at += bytes) {
    if (std::memcmp(data, data + at, bytes) != 0) refuse_values();
  }
  Tensor first = values;
  for (int64_t i = 0; i < levels; ++i) first = operators::select(first, 0, 0);
  return first;
}

}  // namespace

void check_has_values(const Tensor& tensor) {
  if (is_batched(tensor)) refuse_values();
}

Tensor on_host(const Tensor& tensor) {
  if (is_batched(tensor)) return same_for_all(tensor);
  if (tensor.in_host_memory()) return tensor;
  OW_CHECK_NOT_IMPLEMENTED(!tensor.is_meta(), "Cannot read the data of a meta tensor: it has none");
  const NoGradGuard no_grad;
  Tensor copy = make_tensor(tensor.sizes(), tensor.dtype(), host_device());
  const ReleaseGil unlocked;
  operators::copy_(copy, tensor, /*non_blocking=*/false);
  return copy;
}

Scalar item(const Tensor& tensor) {
  OW_CHECK(tensor.numel() == 1, "a Tensor with ", tensor.numel(),
           " elements cannot be converted to Scalar");
  if (tensor.in_host_memory() && !is_batched(tensor)) [[likely]]
    return read_element(tensor.raw_data(), tensor.dtype());
  return read_element(on_host(tensor).raw_data(), tensor.dtype());
}

}  // namespace opweave::python
