// The table of allocators by device type.
#include "runtime/core/allocator.h"

#include <array>
#include <atomic>

#include "runtime/core/error.h"

namespace opweave {
namespace {
constinit std::array<std::atomic<Allocator*>, kMaxDeviceTypes> allocators{};
}

void set_allocator(DeviceType type, Allocator* allocator) {
  allocators[type].store(allocator, std::memory_order_release);
}

Allocator& allocator_of(DeviceType type) {
  if (type == kCPU) return cpu_allocator();
  Allocator* allocator = allocators[type].load(std::memory_order_acquire);
  OW_CHECK(allocator != nullptr, "device type '", device_type_name(type),
           "' has no allocator: its target is not loaded");
  return *allocator;
}

}  // namespace opweave
