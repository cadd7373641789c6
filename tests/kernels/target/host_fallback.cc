// The CPU's kernels on memory of the heap target.
#include "tests/kernels/target/host_fallback.h"

#include <exception>
#include <map>
#include <optional>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/registry.h"
#include "runtime/target/copy.h"
#include "tests/kernels/target/heap_device.h"

namespace opweave::heap {
namespace {

// One call: its tensors as the host sees them, and its results back on the device.
class HostCall {
 public:
  explicit HostCall(Stack& stack) : stack_(stack) {
    for (IValue& value : stack_) take(value);
  }

  void run(const OperatorEntry& op) {
    const Stream stream = current_stream(device_.value_or(Device(target().type())));
    std::exception_ptr error;
    enqueue(stream, [&] {
      try {
        const NoGradGuard no_grad;
        op.call(stack_);
      } catch (...) {
        error = std::current_exception();
      }
    });
    stream.synchronize();
    if (error) std::rethrow_exception(error);
    for (IValue& value : stack_) give_back(value);
  }

 private:
  void take(IValue& value) {
    if (auto* tensor = std::get_if<Tensor>(&value.value())) {
      *tensor = on_host(*tensor);
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&value.value())) {
      for (Tensor& t : *list) t = on_host(t);
    } else if (auto* device = std::get_if<Device>(&value.value())) {
      if (device->type == target().type()) {
        device_ = *device;
        *device = host_device();
      }
    }
  }

  Tensor on_host(const Tensor& t) {
    if (!t.defined() || t.device().type != target().type()) return t;
    OW_CHECK(!device_ || *device_ == t.device(),
             "Expected all tensors to be on the same device, but found at least two devices, ",
             *device_, " and ", t.device(), "!");
    device_ = t.device();
    Storage& wrapped = wrapped_[t.storage().get()];
    if (!wrapped) {
      wrapped = StorageImpl::wrap(t.storage()->data(), t.storage()->nbytes(), host_device(), {});
    }
    Tensor alias(make_intrusive<TensorImpl>(wrapped, t.dtype(), host_device(), t.sizes(),
                                            t.strides(), t.storage_offset()));
    given_.emplace(alias.impl(), t);
    held_.push_back(alias);
    return alias;
  }

  void give_back(IValue& value) {
    if (auto* tensor = std::get_if<Tensor>(&value.value())) {
      *tensor = on_device(*tensor);
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&value.value())) {
      for (Tensor& t : *list) t = on_device(t);
    }
  }

  // What was written is the argument itself; a view is a view of it; the rest is new.
  Tensor on_device(const Tensor& t) {
    if (!t.defined() || !device_) return t;
    if (const auto it = given_.find(t.impl()); it != given_.end()) return it->second;
    for (const auto& [original, wrapped] : wrapped_) {
      if (wrapped != t.storage()) continue;
      return Tensor(make_intrusive<TensorImpl>(Storage(original), t.dtype(), *device_, t.sizes(),
                                               t.strides(), t.storage_offset()));
    }
    Tensor result = make_tensor_strided(t.sizes(), t.strides(), t.dtype(), *device_);
    copy_bytes(
        {result.raw_data(), *device_, t.raw_data(), host_device(), result.storage()->nbytes()});
    return result;
  }

  Stack& stack_;
  std::optional<Device> device_;
  std::map<StorageImpl*, Storage> wrapped_;
  std::map<TensorImpl*, Tensor> given_;
  std::vector<Tensor> held_;
};

}  // namespace

void run_on_host(const OperatorEntry& op, Stack& stack) { HostCall(stack).run(op); }

void serve_all_operators() {
  static const bool once = [] {
    register_fallback(backend_key(target().type()), [](const OperatorEntry& op, DispatchKeySet,
                                                       Stack& stack) { run_on_host(op, stack); });
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace opweave::heap
