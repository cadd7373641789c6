// What handwritten kernels of CUDA know besides kernel.h: the stream, errors, elements in memory.
#pragma once

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "kernel.h"

namespace opweave::cuda {

// The stream that PyTorch uses on a device.
inline cudaStream_t current_handle(at::Device device) {
  return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}

inline void check_cuda(cudaError_t error, std::string_view what) {
  TORCH_CHECK(error == cudaSuccess, what, ": ", cudaGetErrorString(error));
}

#ifdef __CUDACC__
// An element of type T as a number of type C, and back.
template <class C, class T>
__device__ __forceinline__ C load_element(const char* p) {
  if constexpr (std::is_same_v<T, bool>)
    return static_cast<C>(*reinterpret_cast<const uint8_t*>(p) != 0);
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return static_cast<C>(static_cast<float>(*reinterpret_cast<const T*>(p)));
  else
    return static_cast<C>(*reinterpret_cast<const T*>(p));
}

template <class C, class T>
__device__ __forceinline__ void store_element(char* p, C value) {
  if constexpr (std::is_same_v<T, bool>)
    *reinterpret_cast<bool*>(p) = value != C(0);
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    *reinterpret_cast<T*>(p) = static_cast<T>(static_cast<float>(value));
  else if constexpr (std::is_integral_v<T>)
    *reinterpret_cast<T*>(p) = static_cast<T>(static_cast<int64_t>(value));
  else
    *reinterpret_cast<T*>(p) = static_cast<T>(value);
}
#endif

}  // namespace opweave::cuda
