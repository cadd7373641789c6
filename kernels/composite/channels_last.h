// How tensors of images and volumes lie: with their channels last, or in order.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// The memory format with the channels last, if it is how a tensor lies; also where elements between
// are left out. None for one whose strides fit the order of its dimensions as well.
std::optional<MemoryFormat> channels_last_of(const Tensor& tensor);

// Strides of such sizes with the channels last, if a tensor of as many dimensions has them there,
// and contiguous ones else.
DimVector strides_as_in(const Tensor& tensor, IntList sizes);

}  // namespace opweave::composite
