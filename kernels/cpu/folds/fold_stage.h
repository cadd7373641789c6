// FoldStage: elements on their way between where operands lie and the type in which a fold
// computes.
#pragma once

#include <cstdint>

#include "kernels/plans/fold_plan.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

struct FoldStage {
  ScalarType computed = kFloat;
  ScalarType dtypes[plans::kMaxFoldOperands] = {};

  int64_t item(int operand) const { return static_cast<int64_t>(element_size(dtypes[operand])); }
  int64_t computed_item() const { return static_cast<int64_t>(element_size(computed)); }

  // A rectangle of an operand, whose strides are in elements: `rows` times `n`.
  struct Place {
    void* data = nullptr;  // null: zeros are read, and nothing is written
    int64_t row_stride = 0, stride = 0;
    int64_t rows = 1, n = 0;
  };
  // To and from memory of the type of the computation, whose strides are in elements, too.
  void read(int operand, const Place& from, void* to, int64_t to_row, int64_t to_stride) const;
  void write(int operand, const Place& to, const void* from, int64_t from_row,
             int64_t from_stride) const;
};

}  // namespace opweave::cpu
