// CUDA devices, streams and errors.
#include "kernels/cuda/device.h"

#include <array>

#include "runtime/core/error.h"

namespace opweave::cuda {
namespace {

constexpr int kMaxDevices = 64;
constinit thread_local std::array<cudaStream_t, kMaxDevices> streams{};

}  // namespace

DeviceType device_type() {
  static const DeviceType type = register_device_type("cuda");
  return type;
}

int device_count() {
  static const int count = [] {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
  }();
  return count;
}

void check_cuda(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  const ErrorKind kind =
      error == cudaErrorMemoryAllocation ? ErrorKind::kOutOfMemory : ErrorKind::kRuntime;
  OW_THROW(kind, what, ": CUDA error: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
           ")");
}

int device_index(Device device) {
  OW_CHECK(device_count() > 0, "No CUDA GPUs are available");
  int index = device.index;
  if (index < 0) check_cuda(cudaGetDevice(&index), "cudaGetDevice");
  OW_CHECK(index < device_count(), "CUDA device ", index, " does not exist: there are ",
           device_count());
  return index;
}

cudaStream_t current_stream(Device device) { return streams[device_index(device)]; }

void set_current_stream(Device device, cudaStream_t stream) {
  streams[device_index(device)] = stream;
}

void synchronize(Device device) {
  const DeviceGuard guard(device);
  check_cuda(cudaDeviceSynchronize(), "synchronize");
}

DeviceGuard::DeviceGuard(Device device) {
  const int wanted = device_index(device);
  check_cuda(cudaGetDevice(&previous_), "cudaGetDevice");
  if (wanted == previous_) {
    previous_ = -1;
  } else {
    check_cuda(cudaSetDevice(wanted), "cudaSetDevice");
  }
}

DeviceGuard::~DeviceGuard() {
  if (previous_ >= 0) cudaSetDevice(previous_);
}

}  // namespace opweave::cuda
