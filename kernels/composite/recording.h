// recording: whether what is computed from these tensors will be differentiated.
#pragma once

#include "runtime/batching/batched_tensor.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/forward/dual.h"

namespace opweave::composite {

// Gradients have a kernel that computes them and a formula that can be differentiated; the formula
// is taken when a graph is recorded.
template <class... T>
bool recording(const T&... tensors) {
  // The value of a batched tensor may require a gradient, or have a tangent, that the tensor itself
  // knows nothing of.
  const auto tracked = [](const Tensor& t) {
    if (!t.defined()) return false;
    const bool backwards = grad_enabled() && (t.requires_grad() || is_batched(t));
    const bool forwards = tangent_limit() > 0 && (is_batched(t) || adopted_tangent_level(t) > 0);
    return backwards || forwards;
  };
  return (tracked(tensors) || ...);
}

}  // namespace opweave::composite
