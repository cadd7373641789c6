// Registration of what is built in.
#include "kernels/initialize/initialize.h"

#include <mutex>

#include "runtime/core/dispatch_key_set.h"

namespace opweave {

void register_opweave();
namespace cpu {
void register_opweave_kernels(DispatchKey key);
}
namespace meta {
void register_opweave_kernels(DispatchKey key);
}

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_opweave();
    cpu::register_opweave_kernels(backend_key(kCPU));
    meta::register_opweave_kernels(backend_key(kMeta));
  });
}

}  // namespace opweave
