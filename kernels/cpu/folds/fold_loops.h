// The loops of one operator that folds on the CPU: for every type of computation, and for each way
// in which elements may lie.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/folds/fold_stage.h"
#include "kernels/plans/fold_plan.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// What one thread computes.
struct FoldRange {
  const plans::FoldSpec* spec = nullptr;
  const plans::FoldPlan* plan = nullptr;
  void* data[plans::kMaxFoldOperands] = {};  // of each operand; null: it is not there
  const Scalar* params = nullptr;
  // Which operands are not there, are of another type than that of the computation, or do not lie
  // as the loop reads them: they pass through the stage. Bit k: operand k.
  const FoldStage* stage = nullptr;
  uint32_t staged = 0;
  // Tiles of at most `tile` rows that lie along the innermost dimension of what is kept, in the
  // order in which an odometer counts.
  int64_t tile = 1, begin = 0, end = 0;
  // Of results that are sums over rows: one float64 for each element that is folded, by result.
  double* sums[plans::kMaxFoldOperands] = {};

  bool is_staged(int operand) const { return (staged >> operand & 1) != 0; }
};
using FoldLoop = void (*)(const FoldRange& range);

struct FoldLoopsOf {
  FoldLoop rows = nullptr;     // elements of a row lie next to one another
  FoldLoop columns = nullptr;  // the same element of many rows does
};

// Rows in a tile, at most.
inline constexpr int64_t kRowsTile = 64;
inline constexpr int64_t kColumnsTile = 512;  // their numbers stay in the first cache
// Elements that are added up in the type of the computation, at most.
inline constexpr int64_t kFoldBlock = 4096;
// Blocks that one thread folds; the numbers of longer rows are those of their parts, joined.
inline constexpr int64_t kFoldPart = 16;

// Of rows of n elements those that are computed together: they stay in the first cache.
inline int64_t rows_together(int64_t n) {
  constexpr int64_t kTogether = 4096;  // elements
  return std::clamp<int64_t>(kTogether / std::max<int64_t>(n, 1), 1, kRowsTile);
}

// By ScalarType: float, double and int64, in which others are computed.
struct FoldLoops {
  FoldLoopsOf by_type[kNumScalarTypes];
};

}  // namespace opweave::cpu
