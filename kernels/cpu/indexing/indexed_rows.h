// IndexedRows: an IndexPlan with the indices, which are read and checked on the host.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/plans/index_plan.h"
#include "kernels/plans/odometer.h"

namespace opweave::cpu {

class IndexedRows {
 public:
  // `wraps` says whether negative indices count from the end.
  IndexedRows(const Tensor& self, const IndexShape& shape, TensorList indices, bool wraps);

  int64_t rows() const { return plan_.rows(); }
  int64_t befores() const { return plan_.befores; }
  int64_t indices() const { return plan_.indices; }
  const plans::StridedBlock& block() const { return plan_.block; }
  // Bytes from a position of the dimensions before to the blocks of the indices [begin, end).
  // IndexError for one that is outside.
  void offsets(int64_t begin, int64_t end, int64_t* out) const;
  // Calls visit(row, offset) for a range of rows.
  template <class Visit>
  void for_rows(int64_t begin, int64_t end, Visit visit) const;

 private:
  int64_t checked(const plans::IndexedDim& indexed, int64_t index) const;

  plans::IndexPlan plan_;
  std::vector<const int64_t*> values_;  // of each dimension that is indexed
  bool wraps_;
};

// Calls visit(indexed, dense) for every run of a block, with pointers to both.
template <class Run, class Indexed, class Dense, class Visit>
void for_runs(const plans::StridedBlock& block, Run run, Indexed* indexed, Dense* dense,
              Visit visit) {
  if (block.is_dense()) return visit(indexed, dense);
  plans::Odometer odometer(block.sizes, block.strides, 0);
  for (int64_t done = 0; done < block.bytes; done += run, odometer.next()) {
    visit(indexed + odometer.offset(), dense + done);
  }
}

template <class Visit>
void IndexedRows::for_rows(int64_t begin, int64_t end, Visit visit) const {
  constexpr int64_t kBatch = 256;
  int64_t batch[kBatch];
  for (int64_t row = begin; row < end;) {
    const int64_t before = row / indices(), first = row % indices();
    const int64_t n = std::min({kBatch, indices() - first, end - row});
    const int64_t start = plan_.before_offset(before);
    offsets(first, first + n, batch);
    for (int64_t i = 0; i < n; ++i) visit(row + i, start + batch[i]);
    row += n;
  }
}

}  // namespace opweave::cpu
