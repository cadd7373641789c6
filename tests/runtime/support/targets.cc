// Registers the targets that a program has without kernels: being linked is enough.
#include "kernels/cpu/target/target.h"
#include "kernels/meta/target/target.h"

namespace {

[[maybe_unused]] const bool registered = [] {
  opweave::register_target(opweave::cpu::target());
  opweave::register_target(opweave::meta::target());
  return true;
}();

}  // namespace
