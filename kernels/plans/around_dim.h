// AroundDim: contiguous elements around one dimension, as outer × n × inner.
#pragma once

#include "runtime/core/tensor/dim_vector.h"

namespace opweave::plans {

struct AroundDim {
  int64_t outer = 1, n = 1, inner = 1;

  // `dim` is counted from the front; without dimensions there is one element.
  AroundDim(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      (d < dim ? outer : d == dim ? n : inner) *= sizes[static_cast<size_t>(d)];
    }
  }
};

}  // namespace opweave::plans
