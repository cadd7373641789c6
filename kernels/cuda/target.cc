// What the runtime finds in this shared library: registration, and what the Python module asks.
#include "kernels/cuda/allocator.h"
#include "kernels/cuda/device.h"
#include "runtime/core/dispatch_key_set.h"

namespace opweave::cuda {
void register_opweave_kernels(DispatchKey key);
}  // namespace opweave::cuda

extern "C" {

// Registers the device type, its allocator and its kernels. Called once, after the library is
// loaded.
void opweave_register_target() {
  using namespace opweave;  // NOLINT
  set_allocator(cuda::device_type(), &cuda::cuda_allocator());
  cuda::register_opweave_kernels(backend_key(cuda::device_type()));
}

const char* opweave_target_name() { return "cuda"; }
int opweave_target_device_count() { return opweave::cuda::device_count(); }
void opweave_target_synchronize(int index) {
  opweave::cuda::synchronize(
      opweave::Device(opweave::cuda::device_type(), static_cast<int8_t>(index)));
}

}  // extern "C"
