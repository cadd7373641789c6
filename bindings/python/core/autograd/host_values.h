// Values of tensors where the program can read them.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// RuntimeError for a batched tensor, whose values differ between the examples of a vmap.
void check_has_values(const Tensor& tensor);
// The tensor itself when it is in host memory, else a copy that is.
Tensor on_host(const Tensor& tensor);

}  // namespace opweave::python
