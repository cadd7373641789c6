// Conversion of tensors to another dtype, device or memory format: what `to` does.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

struct Conversion {
  std::optional<ScalarType> dtype = {};
  std::optional<Device> device = {};
  bool non_blocking = false;
  bool copy = false;
  std::optional<MemoryFormat> memory_format = {};
};

// The tensor itself when nothing changes and no copy is asked for. Differentiable.
Tensor convert(const Tensor& tensor, const Conversion& conversion);

}  // namespace opweave::python
