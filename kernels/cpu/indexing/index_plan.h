// IndexPlan: where the elements of self[indices] lie. The result is seen as rows: for every
// position in the dimensions before the indexed ones and every index, a block of the dimensions
// after them.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/odometer.h"
#include "runtime/rules/index.h"

namespace opweave::cpu {

// A block of elements as it lies in the indexed tensor; outside it is dense.
struct StridedBlock {
  int64_t run;        // bytes that are dense in both
  DimVector sizes;    // of the rest, innermost first
  DimVector strides;  // in bytes
  int64_t bytes;      // of the whole block
  bool is_dense() const { return sizes.empty(); }
};

class IndexPlan {
 public:
  // `wraps` says whether negative indices count from the end.
  IndexPlan(const Tensor& self, const IndexShape& shape, TensorList indices, bool wraps);

  int64_t rows() const { return befores_ * indices_; }
  int64_t befores() const { return befores_; }
  int64_t indices() const { return indices_; }
  const StridedBlock& block() const { return block_; }
  // Bytes from the start of self to a position of the dimensions before.
  int64_t before_offset(int64_t before) const;
  // Bytes from there to the blocks of the indices [begin, end). IndexError for one that is outside.
  void offsets(int64_t begin, int64_t end, int64_t* out) const;
  // Calls visit(row, offset) for a range of rows.
  template <class Visit>
  void for_rows(int64_t begin, int64_t end, Visit visit) const;

 private:
  struct Indexed {
    const int64_t* index;
    int64_t dim, size, stride;
  };
  int64_t checked(const Indexed& indexed, int64_t i) const;

  std::vector<Indexed> indexed_;
  DimVector before_sizes_, before_strides_;  // innermost first
  int64_t befores_ = 1, indices_ = 1;
  StridedBlock block_;
  bool wraps_;
};

// Calls f with the run as a constant where that turns a copy into a few instructions.
template <class F>
void with_run(int64_t run, F f) {
  switch (run) {
    case 1:
      return f(std::integral_constant<int64_t, 1>());
    case 2:
      return f(std::integral_constant<int64_t, 2>());
    case 4:
      return f(std::integral_constant<int64_t, 4>());
    case 8:
      return f(std::integral_constant<int64_t, 8>());
    case 16:
      return f(std::integral_constant<int64_t, 16>());
    case 32:
      return f(std::integral_constant<int64_t, 32>());
    case 64:
      return f(std::integral_constant<int64_t, 64>());
    default:
      return f(run);
  }
}

// Calls visit(indexed, dense) for every run of a block, with pointers to both.
template <class Run, class Indexed, class Dense, class Visit>
void for_runs(const StridedBlock& block, Run run, Indexed* indexed, Dense* dense, Visit visit) {
  if (block.is_dense()) return visit(indexed, dense);
  Odometer odometer(block.sizes, block.strides, 0);
  for (int64_t done = 0; done < block.bytes; done += run, odometer.next()) {
    visit(indexed + odometer.offset(), dense + done);
  }
}

template <class Visit>
void IndexPlan::for_rows(int64_t begin, int64_t end, Visit visit) const {
  constexpr int64_t kBatch = 256;
  int64_t batch[kBatch];
  for (int64_t row = begin; row < end;) {
    const int64_t before = row / indices_, first = row % indices_;
    const int64_t n = std::min({kBatch, indices_ - first, end - row});
    const int64_t start = before_offset(before);
    offsets(first, first + n, batch);
    for (int64_t i = 0; i < n; ++i) visit(row + i, start + batch[i]);
    row += n;
  }
}

}  // namespace opweave::cpu
