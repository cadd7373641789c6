// A kernel launched from C++: sets n floats on the device.
#include "tests/smoke/cuda/fill.h"

__global__ void fill_kernel(float* out, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

void fill(float* out, float value, int n) { fill_kernel<<<(n + 255) / 256, 256>>>(out, value, n); }
