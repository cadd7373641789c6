// How a batch of examples runs, decided once for all outputs.
#pragma once

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

enum class BatchRule : uint8_t {
  none,          // by the operators that it is made of, by a formula for one example, or not at all
  pointwise,     // its tensors broadcast: their dimensions are lined up behind the examples
  leading_dims,  // the operator itself, whatever stands in front, or its formula for a batch
  dims,          // dimensions that arguments name are counted behind the examples
  loop,          // one example after the other
  random,        // one draw for all examples, or one for each
};

BatchRule lower_batching(const Operator& op);

}  // namespace opweave::codegen
