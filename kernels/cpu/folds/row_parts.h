// RowParts: long rows are folded in parts.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cpu/folds/fold_loops.h"

namespace opweave::cpu {

// Totals of the parts of a long row, each of kFoldPart blocks.
template <class Wide, int kFolds>
class RowParts {
 public:
  explicit RowParts(int64_t blocks)
      : count((blocks + kFoldPart - 1) / kFoldPart),
        blocks_(blocks),
        totals_(new Wide[static_cast<size_t>(count * kFolds)]) {}

  const int64_t count;
  int64_t begin(int64_t part) const { return part * kFoldPart; }
  int64_t end(int64_t part) const { return part + 1 == count ? blocks_ : (part + 1) * kFoldPart; }
  Wide* of(int64_t part) const { return &totals_[static_cast<size_t>(part * kFolds)]; }

 private:
  int64_t blocks_;
  std::unique_ptr<Wide[]> totals_;
};

}  // namespace opweave::cpu
