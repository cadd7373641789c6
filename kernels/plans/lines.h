// Lines: all runs of a tensor along one dimension, together with those of a result.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {

struct Lines {
  // `dim` is counted from the front. `of_result`: the strides of a result of the sizes of `in`
  // except along `dim`. A zero-dim tensor is one line of one element.
  Lines(const Tensor& in, IntList of_result, int64_t dim) {
    for (int64_t d = in.dim() - 1; d >= 0; --d) {
      if (d == dim) continue;
      sizes.push_back(in.sizes()[d]);
      in_strides.push_back(in.strides()[d]);
      out_strides.push_back(of_result[d]);
      count *= in.sizes()[d];
    }
    if (in.dim() == 0) return;
    n = in.sizes()[dim];
    in_stride = in.strides()[dim];
    out_stride = of_result[dim];
  }

  // Of the other dimensions, innermost first; strides in elements.
  DimVector sizes, in_strides, out_strides;
  int64_t count = 1;                      // of lines
  int64_t n = 1;                          // elements of one
  int64_t in_stride = 1, out_stride = 1;  // from one element of a line to the next
};

}  // namespace opweave::plans
