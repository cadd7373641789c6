// Allocator: the memory of one device type. Each target brings its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/devices/device.h"

namespace opweave {

// Counts in bytes and calls, since the start or the last reset of the peaks.
struct AllocatorStats {
  int64_t allocated_bytes = 0;  // handed out now
  int64_t peak_allocated_bytes = 0;
  int64_t reserved_bytes = 0;  // held from the system now: handed out or cached
  int64_t peak_reserved_bytes = 0;
  int64_t allocations = 0;
  int64_t system_allocations = 0;  // allocations that the cache could not serve
};

class Allocator {
 public:
  virtual ~Allocator() = default;
  // At least `nbytes` bytes on `device`, aligned to 64 bytes. Throws Error(kOutOfMemory).
  // `nbytes` of zero may return null.
  virtual void* allocate(size_t nbytes, Device device) = 0;
  // `nbytes` is the size that was asked for.
  virtual void deallocate(void* data, size_t nbytes, Device device) noexcept = 0;
  virtual AllocatorStats stats(Device device) const = 0;
  virtual void reset_peak_stats(Device device) = 0;
  // Returns unused blocks to the system.
  virtual void empty_cache() = 0;
  // A block that `data` points into is used by work of a stream, other than that on which it was
  // allocated. Once freed, it is handed out again only when that work is done.
  virtual void record_stream(const void* /*data*/, Device, StreamId) {}
};

}  // namespace opweave
