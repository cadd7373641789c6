// The CPU as a target.
#include "kernels/cpu/target/target.h"

#include <unistd.h>

namespace opweave::cpu {
namespace {

class CpuTarget final : public Target {
 public:
  CpuTarget() : Target("cpu", Kind::kHost, memory()) {}

  DeviceProperties properties(int) override {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return {.name = "cpu",
            .total_memory = page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES)),
            .free_memory = page * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)),
            .processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
  }
};

}  // namespace

Target& target() {
  static auto* target = new CpuTarget;  // outlives every tensor
  return *target;
}

}  // namespace opweave::cpu
