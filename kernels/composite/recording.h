// recording: whether what is computed from these tensors will be differentiated.
#pragma once

#include "runtime/batching/batched_tensor.h"
#include "runtime/core/tensor.h"
#include "runtime/core/thread_state.h"

namespace opweave::composite {

// Gradients have a kernel that computes them and a formula that can be differentiated; the formula
// is taken when a graph is recorded.
template <class... T>
bool recording(const T&... tensors) {
  // The value of a batched tensor may require a gradient that the tensor itself knows nothing of.
  return grad_enabled() &&
         ((tensors.defined() && (tensors.requires_grad() || is_batched(tensors))) || ...);
}

}  // namespace opweave::composite
