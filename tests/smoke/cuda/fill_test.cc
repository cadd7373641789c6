// nvcc's objects link into C++, load without a driver, and run where there is a GPU.
#include "tests/smoke/cuda/fill.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <vector>

namespace {

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace

TEST_CASE("cuBLASLt is linked") { CHECK(cublasLtGetVersion() > 0); }

TEST_CASE("a kernel runs where there is a GPU") {
  if (device_count() == 0) {
    MESSAGE("no GPU here");
    return;
  }
  float* device = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 4 * sizeof(float)) == cudaSuccess);
  fill(device, 3, 4);
  std::vector<float> host(4);
  REQUIRE(cudaMemcpy(host.data(), device, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host == std::vector<float>(4, 3.0f));
  cudaFree(device);
}
