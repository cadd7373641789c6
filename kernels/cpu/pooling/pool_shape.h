// PoolShape: the checked geometry of pooling over two dimensions.
#pragma once

#include "runtime/core/tensor.h"

namespace opweave::cpu {

struct PoolOptions {
  IntList kernel, stride, padding, dilation;
  bool ceil_mode;
};

// One spatial dimension.
struct PoolAxis {
  int64_t in, out, kernel, stride, padding, dilation;

  // The part of the window of output `o` that lies in the input, by position and number of
  // elements.
  int64_t begin(int64_t o) const {
    const int64_t start = o * stride - padding;
    return start >= 0 ? start : start + (-start + dilation - 1) / dilation * dilation;
  }
  int64_t count(int64_t o) const {
    const int64_t end = std::min(o * stride - padding + (kernel - 1) * dilation + 1, in);
    const int64_t from = begin(o);
    return from < end ? (end - from + dilation - 1) / dilation : 0;
  }
};

struct PoolShape {
  int64_t planes;  // all leading dimensions
  PoolAxis rows, columns;
  DimVector sizes;  // of the result
};

// `op` names the operator in messages about its options.
PoolShape pool_shape(std::string_view op, const Tensor& input, const PoolOptions& options);

}  // namespace opweave::cpu
