// How the dimensions of a plan are cut into blocks of rows × columns that fit the first-level
// cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/pointwise/plan.h"

namespace opweave::cpu {

inline constexpr int64_t kBlock = 1024;                     // elements of a block at most
inline constexpr int64_t kStreamBytes = int64_t{32} << 20;  // results from here on bypass the cache

// Columns run along the plan's first dimension, in which the result is densest. Rows run along the
// second, or along the one in which an operand is dense that is strided along the columns: such an
// operand is transposed block by block.
struct Tiling {
  int row_dim;            // -1: there is one row
  bool transposed;        // an operand is dense along the rows, not the columns
  int64_t rows, columns;  // of a whole block
  int64_t all_rows, all_columns;
  int64_t row_blocks, column_blocks;
  int64_t outer;  // how often all these blocks come, in the other dimensions

  int64_t count() const { return outer * row_blocks * column_blocks; }
};

Tiling tile(const PointwisePlan& plan);

// One block of a tiling.
struct Block {
  int64_t outer, row, column;  // where it starts
  int64_t rows, columns;
};

// Along the columns first; or along the rows first, where that stays on an operand's lines.
inline Block block_at(const Tiling& t, int64_t index) {
  const int64_t inner = t.transposed ? t.row_blocks : t.column_blocks;
  const int64_t first = index % inner;
  index /= inner;
  const int64_t middle = t.transposed ? t.column_blocks : t.row_blocks;
  const int64_t second = index % middle;
  const int64_t row = (t.transposed ? first : second) * t.rows;
  const int64_t column = (t.transposed ? second : first) * t.columns;
  return {index / middle, row, column, std::min(t.rows, t.all_rows - row),
          std::min(t.columns, t.all_columns - column)};
}

// The bytes from an operand's first element to the first of the block.
inline int64_t offset_of(const PointwisePlan& plan, const Tiling& t,
                         const PointwiseOperand& operand, const Block& block) {
  int64_t bytes = plan.ndim > 0 ? block.column * operand.strides[0] : 0;
  if (t.row_dim > 0) bytes += block.row * operand.strides[t.row_dim];
  int64_t outer = block.outer;
  for (int d = 1; d < plan.ndim && outer != 0; ++d) {
    if (d == t.row_dim) continue;
    bytes += outer % plan.sizes[d] * operand.strides[d];
    outer /= plan.sizes[d];
  }
  return bytes;
}

// Of a transposed tiling: asks for the lines of the operands that are dense along the rows.
void prefetch(const PointwisePlan& plan, const Tiling& tiling, const Block& block);

}  // namespace opweave::cpu
