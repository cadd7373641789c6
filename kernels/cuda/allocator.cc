// The caching CUDA allocator: blocks by device, stream and rounded size.
//
// A freed block goes back to the stream it was made on, where the work that still uses it is
// ordered before whatever the next owner enqueues there. Tensors used on another stream have to be
// synchronised by their user.
#include "kernels/cuda/allocator.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>

#include "kernels/cuda/device.h"
#include "runtime/core/error.h"

namespace opweave::cuda {
namespace {

constexpr size_t kSmall = 512;
constexpr size_t kLarge = size_t{1} << 20;

size_t rounded(size_t nbytes) {
  const size_t step = nbytes < kLarge ? kSmall : size_t{2} << 20;
  return (std::max<size_t>(nbytes, 1) + step - 1) / step * step;
}

struct Pool {
  int device;
  cudaStream_t stream;
  auto operator<=>(const Pool&) const = default;
};

class CudaAllocator final : public Allocator {
 public:
  void* allocate(size_t nbytes, Device device) override {
    if (nbytes == 0) return nullptr;
    const DeviceGuard guard(device);
    const Pool pool{device_index(device), current_stream(device)};
    const size_t size = rounded(nbytes);
    std::lock_guard lock(mutex_);
    void* data = take_cached(pool, size);
    if (data == nullptr) data = system_allocate(size);
    live_.insert_or_assign(data, Block{pool, size});
    stats_.allocations += 1;
    stats_.allocated_bytes += static_cast<int64_t>(size);
    stats_.peak_allocated_bytes = std::max(stats_.peak_allocated_bytes, stats_.allocated_bytes);
    return data;
  }

  void deallocate(void* data, size_t, Device) noexcept override {
    if (data == nullptr) return;
    std::lock_guard lock(mutex_);
    const auto it = live_.find(data);
    if (it == live_.end()) return;
    stats_.allocated_bytes -= static_cast<int64_t>(it->second.size);
    cached_[it->second.pool].emplace(it->second.size, data);
    live_.erase(it);
  }

  AllocatorStats stats(Device) const override {
    std::lock_guard lock(mutex_);
    return stats_;
  }

  void reset_peak_stats(Device) override {
    std::lock_guard lock(mutex_);
    stats_.peak_allocated_bytes = stats_.allocated_bytes;
    stats_.peak_reserved_bytes = stats_.reserved_bytes;
  }

  void empty_cache() override {
    std::lock_guard lock(mutex_);
    release_cached();
  }

 private:
  struct Block {
    Pool pool;
    size_t size;
  };

  // A block at most a quarter larger than wanted.
  void* take_cached(const Pool& pool, size_t size) {
    auto& blocks = cached_[pool];
    const auto it = blocks.lower_bound(size);
    if (it == blocks.end() || it->first > size + size / 4) return nullptr;
    void* data = it->second;
    blocks.erase(it);
    return data;
  }

  void* system_allocate(size_t size) {
    void* data = nullptr;
    cudaError_t error = cudaMalloc(&data, size);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clears it
      release_cached();
      error = cudaMalloc(&data, size);
    }
    if (error != cudaSuccess) cudaGetLastError();
    check_cuda(error, str("CUDA allocator: tried to allocate ", size, " bytes"));
    stats_.system_allocations += 1;
    stats_.reserved_bytes += static_cast<int64_t>(size);
    stats_.peak_reserved_bytes = std::max(stats_.peak_reserved_bytes, stats_.reserved_bytes);
    return data;
  }

  void release_cached() {
    for (auto& [pool, blocks] : cached_) {
      for (const auto& [size, data] : blocks) {
        cudaFree(data);  // waits for the device, so the work that used the block is done
        stats_.reserved_bytes -= static_cast<int64_t>(size);
      }
      blocks.clear();
    }
  }

  mutable std::mutex mutex_;
  std::map<Pool, std::multimap<size_t, void*>> cached_;
  std::unordered_map<void*, Block> live_;
  AllocatorStats stats_;
};

}  // namespace

Allocator& cuda_allocator() {
  static auto* allocator = new CudaAllocator;  // outlives every tensor
  return *allocator;
}

}  // namespace opweave::cuda
