// CachingAllocator: blocks by device, stream and size, for targets whose work runs later than the
// call that asks for it.
//
// A freed block goes back to the stream it was made on, where the work that still uses it is ahead
// of whatever its next owner enqueues. Other streams that use it are recorded (record_stream): then
// it waits, once freed, for events on them.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/core/devices/allocator.h"
#include "runtime/target/event.h"

namespace opweave {

class CachingAllocator : public Allocator {
 public:
  void* allocate(size_t nbytes, Device device) final;
  void deallocate(void* data, size_t nbytes, Device device) noexcept final;
  AllocatorStats stats(Device device) const final;
  void reset_peak_stats(Device device) final;
  // Waits for the work that used the blocks.
  void empty_cache() final;
  void record_stream(const void* data, Device device, StreamId stream) final;
  // Whether an address lies in a block that is in use.
  bool owns(const void* data) const;

 protected:
  // Memory from the system on a device; null when there is no more. Throws for any other failure.
  virtual void* system_allocate(size_t nbytes, Device device) = 0;
  virtual void system_free(void* data, size_t nbytes, Device device) noexcept = 0;
  // The streams whose work uses a block that nobody recorded: the device's current one.
  virtual StreamId owner(Device device) const { return current_stream(device).id(); }

 private:
  struct Pool {
    int8_t index;
    StreamId stream;
    auto operator<=>(const Pool&) const = default;
  };
  struct Block {
    Device device;
    StreamId stream;
    size_t size;
    std::vector<Stream> used_by = {};  // recorded
  };
  struct Waiting {
    void* data;
    Block block;
    std::vector<Event> events;
  };
  using Live = std::map<const char*, Block>;

  Live::const_iterator find(const void* data) const;
  void* take_cached(Pool pool, size_t size);
  void* fresh(size_t nbytes, size_t size, Device device);
  void keep(void* data, const Block& block);
  void wait_for_others(void* data, Block block) noexcept;
  void collect(bool wait);
  void release_cached();

  mutable std::mutex mutex_;
  std::map<Pool, std::multimap<size_t, std::pair<void*, Device>>> cached_;
  Live live_;
  std::list<Waiting> waiting_;
  std::map<int8_t, AllocatorStats> stats_;  // by number of the device
};

}  // namespace opweave
