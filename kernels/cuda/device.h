// CUDA devices, streams and errors.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "runtime/target/stream.h"

namespace opweave::cuda {

// Not registered yet.
Target& target();
// Usable devices; 0 without a driver, whatever the reason.
int device_count();

// Throws RuntimeError with the driver's words; cudaErrorMemoryAllocation becomes OutOfMemoryError.
void check_cuda(cudaError_t error, std::string_view what);

// A stream's number is its handle: that of the default one, the legacy default stream, is 0.
inline cudaStream_t handle_of(StreamId stream) { return reinterpret_cast<cudaStream_t>(stream); }
// The stream that operators of this thread use on a device.
inline cudaStream_t current_handle(Device device) { return handle_of(current_stream(device).id()); }

}  // namespace opweave::cuda
