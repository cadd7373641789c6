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

// What becomes of numbers beside a batch, where its tensors broadcast.
enum class BatchNumbers : uint8_t {
  common,  // they have the common dtype
  floats,  // whole ones become floats
  own,     // the expression has a rule of its own for them
  apart,   // they are no elements: a kernel takes them as they are
};

struct BatchPass {
  BatchRule rule = BatchRule::none;
  BatchNumbers numbers = BatchNumbers::common;
  // It runs by a formula, whose operators do not ask what this one requires of an example.
  bool checks_example = false;
};

// `has_rule`: a function checks what calls require (HardwareKernel).
BatchPass lower_batching(const Operator& op, bool has_rule);

}  // namespace opweave::codegen
