// What `[]` accepts as indices, brought into the form that kernels take.
#pragma once

#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// Masks become the indices of what they select; all indices become int64, of one shape, dense and
// on the device of `self`. Trailing dimensions without an index are left out. IndexError where an
// index is of the wrong dtype or shape, or there are too many.
std::vector<Tensor> index_arguments(const Tensor& self, TensorList indices);

// Whether an index chooses by truth values: bool or uint8.
bool is_mask(const Tensor& index);

// The only index if it is a mask of bool on the device of `self`, null otherwise, and how many
// dimensions stay whole in front of it.
struct OnlyMask {
  const Tensor* mask = nullptr;
  int64_t at = 0;
};
OnlyMask only_mask(const Tensor& self, TensorList indices);

}  // namespace opweave::composite
