// ReduceKernel: how one reduction folds elements of one type into states; reduce(): the loop over a
// tensor around it.
#pragma once

#include <cstdint>

#include "runtime/core/base/function_ref.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/reduction.h"

namespace opweave::cpu {

// A state is what a partial result is kept in: a double for the sum of floats, value and index for
// argmax. Strides count elements. `first` is the position of the first element among those that
// fold into the same state, for reductions that report positions.
struct ReduceKernel {
  int64_t state_size = 0;
  int64_t element_size = 0;
  bool ordered = false;  // positions matter: the order of the reduced dimensions has to be kept

  void (*init)(void* states, int64_t n) = nullptr;
  // states[i] folds in[i * row_stride + j * stride], j < n, for i < count.
  void (*rows)(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
               int64_t stride, int64_t first) = nullptr;
  // states[c] folds in[r * row_stride + c * column_stride], r < rows, for c < columns.
  void (*columns)(void* states, const void* in, int64_t rows, int64_t row_stride, int64_t columns,
                  int64_t column_stride, int64_t first) = nullptr;
  // into[i] takes in from[i], whose elements come after its own.
  void (*merge)(void* into, const void* from, int64_t n) = nullptr;
};

// Writes the results of n states to the outputs begin, begin + stride, … (flat indices of a
// contiguous result).
using ReduceFinish =
    function_ref<void(const void* states, int64_t n, int64_t begin, int64_t stride)>;

// Folds the dimensions in `mask`. The result of a tensor without elements is that of fresh states.
// The same result for every run with the same number of threads.
void reduce(const Tensor& self, DimMask mask, const ReduceKernel& kernel, ReduceFinish finish);

}  // namespace opweave::cpu
