// Registration of what is built in.
#include "kernels/initialize/initialize.h"

#include <mutex>

#include "kernels/cpu/target/target.h"
#include "kernels/initialize/engine_operators.h"
#include "kernels/meta/target/target.h"
#include "runtime/core/threads/dispatch_key_set.h"

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
    register_target(cpu::target());
    register_target(meta::target());
    register_opweave();
    hand_operators_to_autograd();
    cpu::register_opweave_kernels(backend_key(cpu::target().type()));
    meta::register_opweave_kernels(backend_key(meta::target().type()));
  });
}

}  // namespace opweave
