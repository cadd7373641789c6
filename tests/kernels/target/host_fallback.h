// The CPU's kernels on memory of the heap target, which the host can read as well.
#pragma once

#include "runtime/dispatch/operator.h"

namespace opweave::heap {

// With the arguments on the stack, on the current stream of their device; waits for the result.
void run_on_host(const OperatorEntry& op, Stack& stack);
template <class... Args>
void run_on_host(const OperatorEntry& op, const Args&... args) {
  Stack stack;
  (stack.emplace_back(args), ...);
  run_on_host(op, stack);
}

// A kernel for every operator that has none for the target.
void serve_all_operators();

}  // namespace opweave::heap
