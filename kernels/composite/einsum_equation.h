// The equation of einsum: which label stands for which dimension.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// Labels are small numbers: letters first, then one for each dimension that an ellipsis covers.
struct EinsumEquation {
  std::vector<std::vector<int>> inputs;  // per operand, per dimension
  std::vector<int> output;
  int num_labels = 0;
};

// Checks the equation against the operands' shapes; RuntimeError as PyTorch says it.
EinsumEquation parse_einsum(std::string_view equation, TensorList operands);

}  // namespace opweave::composite
