// What the runtime finds in this shared library: see runtime/target/library.h.
#include "kernels/cuda/device.h"
#include "runtime/core/threads/dispatch_key_set.h"

namespace opweave::cuda {
void register_opweave_kernels(DispatchKey key);
}  // namespace opweave::cuda

extern "C" opweave::Target* opweave_register_target() {
  opweave::Target& target = opweave::cuda::target();
  opweave::register_target(target);
  opweave::cuda::register_opweave_kernels(opweave::backend_key(target.type()));
  return &target;
}
