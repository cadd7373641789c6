// The caching allocator of targets with streams.
#include "runtime/target/caching_allocator.h"

#include <algorithm>
#include <utility>

#include "runtime/core/base/error.h"
#include "runtime/core/base/no_fork.h"

namespace opweave {
namespace {

constexpr size_t kSmall = 512;
constexpr size_t kLarge = size_t{1} << 20;

size_t rounded(size_t nbytes) {
  const size_t step = nbytes < kLarge ? kSmall : size_t{2} << 20;
  return (nbytes + step - 1) / step * step;
}

}  // namespace

void* CachingAllocator::allocate(size_t nbytes, Device device) {
  if (nbytes == 0) return nullptr;
  const size_t size = rounded(nbytes);
  const Pool pool{device.index, owner(device)};
  const NoFork stay;
  std::lock_guard lock(mutex_);
  collect(/*wait=*/false);
  void* data = take_cached(pool, size);
  if (data == nullptr) data = fresh(nbytes, size, device);
  live_.insert_or_assign(static_cast<const char*>(data), Block{device, pool.stream, size});
  AllocatorStats& stats = stats_[device.index];
  stats.allocations += 1;
  stats.allocated_bytes += static_cast<int64_t>(size);
  stats.peak_allocated_bytes = std::max(stats.peak_allocated_bytes, stats.allocated_bytes);
  return data;
}

void CachingAllocator::deallocate(void* data, size_t, Device) noexcept {
  if (data == nullptr) return;
  const NoFork stay;
  std::lock_guard lock(mutex_);
  const auto it = live_.find(static_cast<const char*>(data));
  if (it == live_.end()) return;
  Block block = std::move(it->second);
  live_.erase(it);
  stats_[block.device.index].allocated_bytes -= static_cast<int64_t>(block.size);
  block.used_by.empty() ? keep(data, block) : wait_for_others(data, std::move(block));
}

// Where events cannot be recorded, as in a process that is ending, the block is given up.
void CachingAllocator::wait_for_others(void* data, Block block) noexcept try {
  Waiting waiting{data, std::move(block), {}};
  for (const Stream& stream : waiting.block.used_by) {
    waiting.events.emplace_back(stream.device()).record(stream);
  }
  waiting_.push_back(std::move(waiting));
} catch (const Error&) {
}

void CachingAllocator::record_stream(const void* data, Device device, StreamId stream) {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  const auto found = find(data);
  if (found == live_.end()) return;
  Block& block = live_[found->first];
  const Stream used(device, stream);
  if (block.device == used.device() && block.stream == stream) return;
  if (std::find(block.used_by.begin(), block.used_by.end(), used) == block.used_by.end()) {
    block.used_by.push_back(used);
  }
}

bool CachingAllocator::owns(const void* data) const {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  return find(data) != live_.end();
}

AllocatorStats CachingAllocator::stats(Device device) const {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  const auto it = stats_.find(device.index);
  return it == stats_.end() ? AllocatorStats() : it->second;
}

void CachingAllocator::reset_peak_stats(Device device) {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  AllocatorStats& stats = stats_[device.index];
  stats.peak_allocated_bytes = stats.allocated_bytes;
  stats.peak_reserved_bytes = stats.reserved_bytes;
}

void CachingAllocator::empty_cache() {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  collect(/*wait=*/true);
  release_cached();
}

CachingAllocator::Live::const_iterator CachingAllocator::find(const void* data) const {
  const auto* address = static_cast<const char*>(data);
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return live_.end();
  --it;
  return address < it->first + it->second.size ? it : live_.end();
}

// A block at most a quarter larger than wanted.
void* CachingAllocator::take_cached(Pool pool, size_t size) {
  auto& blocks = cached_[pool];
  const auto it = blocks.lower_bound(size);
  if (it == blocks.end() || it->first > size + size / 4) return nullptr;
  void* data = it->second.first;
  blocks.erase(it);
  return data;
}

void* CachingAllocator::fresh(size_t nbytes, size_t size, Device device) {
  void* data = system_allocate(size, device);
  if (data == nullptr) {
    collect(/*wait=*/true);
    release_cached();
    data = system_allocate(size, device);
  }
  OW_CHECK_KIND(ErrorKind::kOutOfMemory, data != nullptr, device,
                " is out of memory: tried to allocate ", nbytes, " bytes, with ",
                stats_[device.index].reserved_bytes, " allocated already");
  AllocatorStats& stats = stats_[device.index];
  stats.system_allocations += 1;
  stats.reserved_bytes += static_cast<int64_t>(size);
  stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
  return data;
}

void CachingAllocator::keep(void* data, const Block& block) {
  cached_[{block.device.index, block.stream}].emplace(block.size, std::pair(data, block.device));
}

// Takes back the blocks that other streams are done with.
void CachingAllocator::collect(bool wait) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (wait) {
      for (const Event& event : it->events) event.synchronize();
    }
    const bool done = std::all_of(it->events.begin(), it->events.end(),
                                  [](const Event& event) { return event.query(); });
    if (done) keep(it->data, it->block);
    it = done ? waiting_.erase(it) : std::next(it);
  }
}

void CachingAllocator::release_cached() {
  for (auto& [pool, blocks] : cached_) {
    for (const auto& [size, block] : blocks) {
      const auto& [data, device] = block;
      if (is_accelerator(device)) Stream(device, pool.stream).synchronize();
      system_free(data, size, device);
      stats_[device.index].reserved_bytes -= static_cast<int64_t>(size);
    }
    blocks.clear();
  }
}

}  // namespace opweave
