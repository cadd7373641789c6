// Whether the tensors of a call are on one device.
#pragma once

#include <span>

#include "runtime/core/tensor/tensor.h"
#include "runtime/dispatch/operator.h"

namespace opweave {

// Compares as it sees them. What differs may still be right: check_one_device says it.
class DevicesSeen {
 public:
  void see(const Tensor& t) {
    if (!t.defined()) return;
    if (first_ == nullptr) first_ = &t;
    differ_ |= t.device() != first_->device();
  }
  void see(TensorList list) {
    for (const Tensor& t : list) see(t);
  }
  template <class T>
  void see(const T&) {}

  bool differ() const { return differ_; }

 private:
  const Tensor* first_ = nullptr;
  bool differ_ = false;
};

// RuntimeError that names the argument whose tensor is on another device than those before it. A
// tensor of no dimensions that the host can read goes with all, to be read: what the kernel of
// another device writes lies there. `tensors`: those of each argument.
void check_one_device(const OperatorEntry& op, std::span<const TensorList> tensors);

// The same of a result that the call makes, which lies on `device`: where the first tensor is one
// of those that go with all, that is not where the kernel computes.
void check_result_device(const OperatorEntry& op, std::span<const TensorList> tensors,
                         Device device);

}  // namespace opweave
