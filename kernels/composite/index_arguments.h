// What `[]` accepts as indices, brought into the form that kernels take.
#pragma once

#include <vector>

#include "runtime/core/tensor.h"

namespace opweave::composite {

// Masks become the indices of what they select; all indices become int64, of one shape, dense and
// on the device of `self`. Trailing dimensions without an index are left out. IndexError where an
// index is of the wrong dtype or shape, or there are too many.
std::vector<Tensor> index_arguments(const Tensor& self, TensorList indices);

// The only index if it is a mask, and no other dimension in front of it stays whole; null
// otherwise.
const Tensor* only_mask(const Tensor& self, TensorList indices);

}  // namespace opweave::composite
