// The error of tensors on different devices.
#include "kernels/results/devices.h"

namespace opweave {
namespace {

bool goes_anywhere(const Tensor& t) {
  return !t.defined() || (t.dim() == 0 && t.device() == host_device());
}

}  // namespace

void check_one_device(const OperatorEntry& op, std::span<const TensorList> tensors) {
  const Tensor* first = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (const Tensor& t : tensors[i]) {
      if (goes_anywhere(t)) continue;
      if (first == nullptr) first = &t;
      OW_CHECK(t.device() == first->device(),
               "Expected all tensors to be on the same device, but got ",
               op.record().arguments[i].name, " is on ", t.device(),
               ", different from other tensors on ", first->device(),
               " (when checking argument in method ", op.full_name(), ")");
    }
  }
}

}  // namespace opweave
