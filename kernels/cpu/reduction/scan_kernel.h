// Kernels of running sums and products.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

enum class Scan { kSum, kProduct };

inline constexpr int64_t kScanTile = 1024;

// Floats are accumulated in double, integers wrap. Strides count elements.
struct ScanKernel {
  // One line.
  void (*line)(const void* in, void* out, int64_t n, int64_t in_stride, int64_t out_stride);
  // Up to kScanTile lines side by side.
  void (*columns)(const void* in, void* out, int64_t n, int64_t in_stride, int64_t out_stride,
                  int64_t columns);
};
ScanKernel scan_kernel(ScalarType dtype, Scan which);

}  // namespace opweave::cpu
