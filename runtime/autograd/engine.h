// The engine's only door: runs a backward call from edges to edges.
#pragma once

#include <span>
#include <vector>

#include "runtime/autograd/graph_task.h"

namespace opweave {

// Backward calls made by nodes run nested on the same thread. Deeper than this they go on in a new
// thread, because each takes stack.
inline constexpr int kMaxNestedOnThread = 48;

// `grads`: one for each root. Returns the gradients of the inputs unless they are accumulated.
std::vector<Tensor> run_backward(std::vector<Edge> roots, std::vector<Tensor> grads,
                                 std::span<const Edge> inputs, const BackwardOptions& options);

}  // namespace opweave
