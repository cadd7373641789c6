// Tiles of rows that are brought into memory beside the operands: of another type, elsewhere than
// loops read, or turned so that lanes stand for rows.
#pragma once

#include <cstdint>

#include "kernels/cpu/folds/fold_loops.h"

namespace opweave::cpu {

// `range` counts tiles of range.tile rows, in the order in which an odometer counts what is kept.
// `turned`: for the loop over columns, else for that over rows.
void run_staged_tiles(const FoldRange& range, FoldLoop loop, bool turned);

}  // namespace opweave::cpu
