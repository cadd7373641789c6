// Whether the number in a tensor that stands for one has a place in a dtype.
#pragma once

#include "opweave/ops/item.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/rules/number.h"

namespace opweave::composite {

// RuntimeError unless the number in a zero-dim tensor has a place in a dtype, where the host can
// tell.
inline void check_element_fits(const Tensor& value, ScalarType dtype) {
  if (value.dtype() == dtype || !value.in_host_memory() || is_batched(value)) return;
  check_fits(opweave::item(value), dtype);
}

}  // namespace opweave::composite
