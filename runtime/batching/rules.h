// Batching rules: how an operator runs on batched tensors (see batched_tensor.h). The generator
// prints one for every operator that cannot be left to the operators it is made of.
#pragma once

#include <span>

#include "runtime/batching/batched_tensor.h"
#include "runtime/dispatch/operator.h"

namespace opweave {

enum class BatchRule : uint8_t {
  kPointwise,    // broadcasts its tensors: dimensions are lined up behind the examples
  kDims,         // one tensor or list of them, and arguments that count or size its dimensions
  kLeadingDims,  // `kernel`, or the operator itself, allows one more dimension in front
  kRandom,       // as kPointwise in place, else as kLoop
  kLoop,         // one example after the other
};

// Of kPointwise: the dtype of examples without dimensions, which count as numbers in promotion,
// where their batch would count as a tensor.
enum class NumberDtype : uint8_t {
  kCommon,  // that of all operands
  kFloats,  // the same, but their own beside integers: the operator computes in floats
  kOwn,     // their own: the operator promotes nothing
  kApart,   // nobody knows, for a kernel by hand promotes: one example after the other, as long as
            // there are any; they are cast as kCommon says where there are none
};

struct BatchRuleDef {
  OperatorEntry* op;
  BatchRule rule;
  NumberDtype numbers = NumberDtype::kCommon;
  AnyKernel kernel = nullptr;  // of kLeadingDims; null: the operator
  // Of kLeadingDims: checks what the operator requires, of one example; its result says nothing.
  AnyKernel check = nullptr;
  int training = -1;        // the argument that says whether the call updates statistics
  uint64_t statistics = 0;  // the arguments that it updates then, a bit for each
};

// Registers the rules under batched_key(). Keeps the span.
void register_batch_rules(std::span<const BatchRuleDef> rules);

}  // namespace opweave
