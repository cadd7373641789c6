// recording: whether what is computed from these tensors will be differentiated.
#pragma once

#include "runtime/core/tensor.h"
#include "runtime/core/thread_state.h"

namespace opweave::composite {

// Gradients have a kernel that computes them and a formula that can be differentiated; the formula
// is taken when a graph is recorded.
template <class... T>
bool recording(const T&... tensors) {
  return grad_enabled() && ((tensors.defined() && tensors.requires_grad()) || ...);
}

}  // namespace opweave::composite
