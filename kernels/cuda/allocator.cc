// What the caching allocators get from CUDA.
#include "kernels/cuda/allocator.h"

#include "kernels/cuda/device.h"
#include "runtime/core/base/error.h"

namespace opweave::cuda {
namespace {

// Null where there is no more memory; throws for any other failure.
void* checked(cudaError_t error, void* data) {
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears it
    return nullptr;
  }
  check_cuda(error, "CUDA allocator");
  return data;
}

class DeviceMemory final : public CachingAllocator {
 protected:
  void* system_allocate(size_t nbytes, Device device) override {
    const DeviceGuard guard(device);
    void* data = nullptr;
    const cudaError_t error = cudaMalloc(&data, nbytes);
    return checked(error, data);
  }
  void system_free(void* data, size_t, Device device) noexcept override {
    const DeviceGuard guard(device);
    cudaFree(data);
  }
};

class PinnedMemory final : public CachingAllocator {
 protected:
  void* system_allocate(size_t nbytes, Device) override {
    void* data = nullptr;
    const cudaError_t error = cudaHostAlloc(&data, nbytes, cudaHostAllocPortable);
    return checked(error, data);
  }
  void system_free(void* data, size_t, Device) noexcept override { cudaFreeHost(data); }
};

}  // namespace

CachingAllocator& device_memory() {
  static auto* memory = new DeviceMemory;  // outlives every tensor
  return *memory;
}

CachingAllocator& pinned_memory() {
  static auto* memory = new PinnedMemory;
  return *memory;
}

}  // namespace opweave::cuda
