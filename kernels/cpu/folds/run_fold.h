// Runs an operator that folds: brings operands into the type of computation, chooses the loop that
// fits how they lie, and splits what is kept among threads.
#pragma once

#include <span>

#include "kernels/cpu/folds/fold_loops.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

struct FoldCall {
  const plans::FoldSpec& spec;
  const FoldLoops& loops;
  // As in the spec; undefined where an optional one is not given, or a result not wanted.
  std::span<const Tensor* const> operands;
  std::span<const Scalar> params;
  const plans::FoldedDims& dims;
  // Of coordinates that do not run along what is folded, in the order of the spec.
  std::span<const int64_t> named = {};
};

// Fills the results. Bits do not depend on the number of threads.
void run_fold(const FoldCall& call);

}  // namespace opweave::cpu
