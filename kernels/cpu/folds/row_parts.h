// RowParts: long rows are folded in parts of kFoldPart blocks.
#pragma once

#include <cstdint>

#include "kernels/cpu/folds/fold_loops.h"
#include "kernels/plans/divide_up.h"

namespace opweave::cpu {

struct RowParts {
  int64_t blocks;
  int64_t count = plans::divide_up(blocks, kFoldPart);

  int64_t begin(int64_t part) const { return part * kFoldPart; }
  int64_t end(int64_t part) const { return part + 1 == count ? blocks : begin(part + 1); }
};

}  // namespace opweave::cpu
