// Whose backward passes a hook is part of. A function that grad(), vjp() and their like
// differentiate has passes of its own; who differentiates their results goes through the same nodes
// once more, and would find hooks there that were registered for the first derivative. A hook on
// what was computed by a transform's inputs runs in that transform's passes alone, as in PyTorch.
#pragma once

#include <Python.h>

#include <atomic>
#include <memory>

#include "runtime/autograd/node.h"

namespace opweave::python {

// One transform's passes.
struct HookLevel {
  std::atomic<int> at_work = 0;  // how often it has been entered and not left
};
using HookLevelPtr = std::shared_ptr<const HookLevel>;

// The innermost open level by whose inputs the node's gradient is computed; null: that of no
// transform, so that hooks always run.
HookLevelPtr hook_level_of(const Node& node);

// Whether a hook of this level has no part in the pass that runs.
inline bool is_silent(const HookLevelPtr& level) {
  return level != nullptr && level->at_work.load(std::memory_order_relaxed) == 0;
}

extern PyMethodDef hook_level_functions[];

}  // namespace opweave::python
