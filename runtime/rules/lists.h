// Rule functions about lists of tensors.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::rule {

// -1 if there is none; a list that ends before the other differs there.
int64_t first_unlike(TensorList a, TensorList b);
int64_t first_integral(TensorList tensors);
bool are_contiguous(TensorList tensors);
bool are_numbers(TensorList tensors, ScalarType dtype);

}  // namespace opweave::rule
