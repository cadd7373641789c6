// Choosing the blocks of a plan.
#include "kernels/cpu/pointwise/tiling.h"

#include "kernels/cpu/pointwise/strided.h"

namespace opweave::cpu {
namespace {

constexpr int64_t kTileColumns = 64;
constexpr int64_t kTileRows = kBlock / kTileColumns;

// A dimension other than the first in which an operand is dense that is strided in the first.
int transposed_dim(const PointwisePlan& plan) {
  for (int k = 0; k < plan.num_operands; ++k) {
    const PointwiseOperand& operand = plan.operands[k];
    const auto item = static_cast<int64_t>(element_size(operand.dtype));
    if (operand.strides[0] == item || operand.strides[0] == 0) continue;
    for (int d = 1; d < plan.ndim; ++d) {
      if (operand.strides[d] == item) return d;
    }
  }
  return -1;
}

int64_t blocks_of(int64_t size, int64_t block) { return (size + block - 1) / block; }

}  // namespace

Tiling tile(const PointwisePlan& plan) {
  Tiling t{};
  t.all_columns = plan.ndim > 0 ? plan.sizes[0] : 1;
  t.row_dim = plan.ndim > 1 ? 1 : -1;
  t.columns = std::min(t.all_columns, kBlock);
  const int transposed = plan.ndim > 1 && t.all_columns >= kTileRows ? transposed_dim(plan) : -1;
  t.transposed = transposed > 0;
  if (t.transposed) {
    t.row_dim = transposed;
    t.columns = std::min(t.all_columns, kTileColumns);
  }
  t.all_rows = t.row_dim > 0 ? plan.sizes[t.row_dim] : 1;
  t.rows = std::clamp<int64_t>(kBlock / t.columns, 1, t.all_rows);
  t.row_blocks = blocks_of(t.all_rows, t.rows);
  t.column_blocks = blocks_of(t.all_columns, t.columns);
  t.outer = plan.numel / (t.all_rows * t.all_columns);
  return t;
}

void prefetch(const PointwisePlan& plan, const Tiling& tiling, const Block& block) {
  for (int k = 0; k < plan.num_operands; ++k) {
    const PointwiseOperand& operand = plan.operands[k];
    const auto item = static_cast<int64_t>(element_size(operand.dtype));
    if (operand.strides[tiling.row_dim] != item || operand.strides[0] == item) continue;
    prefetch_columns(operand.data + offset_of(plan, tiling, operand, block), operand.strides[0],
                     block.columns, block.rows * item);
  }
}

}  // namespace opweave::cpu
