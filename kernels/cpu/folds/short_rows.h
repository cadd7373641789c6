// Folds of many rows of few elements: a tile of rows is turned, so that lanes stand for rows.
#pragma once

#include <cstdint>

#include "kernels/cpu/folds/fold_loops.h"

namespace opweave::cpu {

inline constexpr int64_t kShortRow = 64;       // elements, at most
inline constexpr int64_t kShortRowTile = 128;  // rows that are turned together

// Whether it is worth it. Only for elements that lie next to one another.
bool are_short(const plans::FoldPlan& plan, int64_t rows);

// `range` counts tiles of rows, in the order in which an odometer counts what is kept; `columns` is
// the loop for what lies side by side. `size`: bytes of an element, 4 or 8.
void run_short_rows(const plans::FoldSpec& spec, const FoldRange& range, FoldLoop columns,
                    int64_t size);

}  // namespace opweave::cpu
