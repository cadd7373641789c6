// Whether two tensors are one block of memory.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::distributed {

inline bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.raw_data() == b.raw_data() && a.nbytes() == b.nbytes();
}

}  // namespace opweave::distributed
