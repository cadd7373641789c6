// What collectives need of the tensors that they are given.
#pragma once

#include "runtime/batching/batched_tensor.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::composite {

// RuntimeError for batched tensors: other processes get bytes.
inline void check_have_memory(const distributed::Collective& collective) {
  for (const auto* tensors : {&collective.inputs, &collective.outputs}) {
    for (const Tensor& t : *tensors) check_has_memory(distributed::name_of(collective.kind), t);
  }
}

}  // namespace opweave::composite
