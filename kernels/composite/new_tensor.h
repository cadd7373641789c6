// How the options of creation operators become a tensor.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// dtype, device and the rest as creation operators take them; what is not given comes from defaults
// or from another tensor.
struct TensorOptions {
  std::optional<ScalarType> dtype = {};
  std::optional<Device> device = {};
  std::optional<bool> pin_memory = {};

  // What is not given is taken from `like`.
  TensorOptions or_of(const Tensor& like) const {
    return {dtype.value_or(like.dtype()), device.value_or(like.device()), pin_memory};
  }
};

Tensor new_tensor(IntList size, const TensorOptions& options);
// Of the shape and, if the format is to be preserved, the order in memory of `like`. Dtype and
// device of `like` unless given.
Tensor new_tensor_like(const Tensor& like, const TensorOptions& options,
                       std::optional<MemoryFormat> format);
// Zeros with the dtype and device of `like`; batched if it is.
Tensor zeros_of(IntList sizes, const Tensor& like);

}  // namespace opweave::composite
