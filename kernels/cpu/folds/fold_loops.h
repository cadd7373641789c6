// The loops of one operator that folds on the CPU: for every type of computation, and for each way
// in which elements may lie.
#pragma once

#include <cstdint>

#include "kernels/plans/fold_plan.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// What one thread computes. All operands are of the type of computation.
struct FoldRange {
  const plans::FoldPlan* plan = nullptr;
  void* data[plans::kMaxFoldOperands] = {};  // of each operand; null: it is not there
  const Scalar* params = nullptr;
  // Rows (of FoldLoops::rows) or tiles of columns (of FoldLoops::columns), in the order in which an
  // odometer counts what is kept.
  int64_t begin = 0, end = 0;
  // Of results that are sums over rows: one float64 for each element that is folded, by result.
  double* sums[plans::kMaxFoldOperands] = {};
};

using FoldLoop = void (*)(const FoldRange& range);

struct FoldLoopsOf {
  FoldLoop rows = nullptr;     // elements of a row lie next to one another
  FoldLoop columns = nullptr;  // the same element of many rows does
};

// Columns that are computed together, at most: their numbers stay in the first cache.
inline constexpr int64_t kFoldTile = 512;

// By ScalarType: float, double and int64, in which others are computed.
struct FoldLoops {
  FoldLoopsOf by_type[kNumScalarTypes];
};

}  // namespace opweave::cpu
