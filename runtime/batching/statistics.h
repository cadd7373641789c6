// Running statistics of calls under vmap: updated by a schema that does not say so.
#pragma once

#include "runtime/batching/batched_call.h"

namespace opweave {

// Examples that differ cannot share statistics. What jvp() differentiates under a vmap, as jacfwd()
// does, is one primal for all examples, repeated beside their tangents: it updates what is shared
// once.
class Statistics {
 public:
  // RuntimeError where the call would update what is the same for examples that differ; else each
  // example gets a copy of its own.
  Statistics(const OperatorEntry& op, const BatchRuleDef& def, BatchedCall& call);
  // After the call: what any example's became.
  void update() const;

 private:
  struct Shared {
    Tensor original, copies;
  };
  std::vector<Shared> shared_;
};

}  // namespace opweave
