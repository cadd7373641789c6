// How a batch of an operator with a handwritten kernel runs in packages for other frameworks.
#pragma once

#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

enum class BatchWay : uint8_t {
  none,       // it is refused, or its kernel says what is wrong
  leading,    // the operator does the same, whatever stands in front
  pointwise,  // its tensors broadcast
  dims,       // dimensions that arguments name are counted behind the examples
  loop,       // one example after the other
};

// Of an operator whose batches run by no formula.
BatchWay batch_way(const Operator& op);
// The arguments that name dimensions of its tensor.
std::vector<uint16_t> named_dims(const Operator& op);

}  // namespace opweave::codegen
