// The error of tensors on different devices.
#include "kernels/results/devices.h"

namespace opweave {
namespace {

bool goes_anywhere(const Tensor& t) {
  return !t.defined() || (t.dim() == 0 && t.device() == host_device());
}

// The first tensor that says where a call computes, and whose it is.
struct Decisive {
  const Tensor* tensor = nullptr;
  size_t argument = 0;
};

Decisive decisive(std::span<const TensorList> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (const Tensor& t : tensors[i]) {
      if (!goes_anywhere(t)) return {.tensor = &t, .argument = i};
    }
  }
  return {};
}

[[noreturn]] void fail_devices(const OperatorEntry& op, size_t argument, Device device,
                               Device others) {
  OW_THROW(ErrorKind::kRuntime, "Expected all tensors to be on the same device, but got ",
           op.record().arguments[argument].name, " is on ", device,
           ", different from other tensors on ", others, " (when checking argument in method ",
           op.full_name(), ")");
}

}  // namespace

void check_one_device(const OperatorEntry& op, std::span<const TensorList> tensors) {
  const Decisive first = decisive(tensors);
  if (first.tensor == nullptr) return;
  const Device device = first.tensor->device();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool written = op.record().arguments[i].type.written;
    for (const Tensor& t : tensors[i]) {
      if (!t.defined() || t.device() == device) continue;
      if (!goes_anywhere(t)) fail_devices(op, i, t.device(), device);
      if (written) fail_devices(op, first.argument, device, t.device());
    }
  }
}

void check_result_device(const OperatorEntry& op, std::span<const TensorList> tensors,
                         Device device) {
  const Decisive first = decisive(tensors);
  if (first.tensor != nullptr && first.tensor->device() != device)
    fail_devices(op, first.argument, first.tensor->device(), device);
}

}  // namespace opweave
