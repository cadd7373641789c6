// CUDA devices and streams.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "runtime/core/device.h"

namespace opweave::cuda {

// The number under which this target is registered.
DeviceType device_type();
// Usable devices; 0 without a driver, whatever the reason.
int device_count();

// Throws RuntimeError with the driver's words; cudaErrorMemoryAllocation becomes OutOfMemoryError.
void check_cuda(cudaError_t error, std::string_view what);

// The index of a device; -1 means the thread's current one. Throws when there is no such device.
int device_index(Device device);

// The stream that operators of this thread use on a device: the legacy default stream unless set.
cudaStream_t current_stream(Device device);
void set_current_stream(Device device, cudaStream_t stream);
// Waits for all work on the device.
void synchronize(Device device);

// Makes a device current for the thread, and restores the previous one.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;

 private:
  int previous_ = -1;
};

}  // namespace opweave::cuda
