// RowSums: results of folds that are sums over all rows, as the gradient of a weight.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/folds/fold_loops.h"
#include "runtime/core/base/function_ref.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// Each part of the rows, of which there are as many whatever the threads, adds up its own: in the
// type of the computation those of a few rows, in float64 all of them, in order.
class RowSums {
 public:
  // `in_rows`: loops add to memory of the type of the computation, not to float64.
  RowSums(const plans::FoldSpec& spec, std::span<const Tensor* const> operands,
          plans::FoldPlan& plan, ScalarType dtype, bool in_rows);

  // Calls compute with parts of the range, which has so many tiles, and writes the sums.
  void run(const FoldRange& range, int64_t units, function_ref<void(const FoldRange&)> compute);

 private:
  bool is_sum(int result) const;
  void run_part(FoldRange part, function_ref<void(const FoldRange&)> compute) const;
  void empty(void* from, double* to) const;
  void write(int result, const double* sums) const;

  const plans::FoldSpec& spec_;
  std::span<const Tensor* const> operands_;
  plans::FoldPlan& plan_;
  ScalarType dtype_;
  bool in_rows_;
  int64_t elements_;
  DimVector strides_[plans::kMaxFoldOperands];  // of results, where they lie
};

}  // namespace opweave::cpu
