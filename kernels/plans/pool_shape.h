// The geometry of pooling over two dimensions. The rules of the operators have checked it.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {

struct PoolOptions {
  IntList kernel, stride, padding, dilation;
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

// Rows are dimension 0, columns dimension 1; `pooled` has as many as there are windows.
inline PoolAxis pool_axis(const Tensor& input, const Tensor& pooled, const PoolOptions& options,
                          size_t i) {
  const auto pick = [i](IntList values) { return values[values.size() == 1 ? 0 : i]; };
  const int64_t dim = static_cast<int64_t>(i) - 2;
  const int64_t kernel = pick(options.kernel);
  return {input.size(dim),
          pooled.size(dim),
          kernel,
          options.stride.empty() ? kernel : pick(options.stride),
          pick(options.padding),
          pick(options.dilation)};
}

}  // namespace opweave::plans
