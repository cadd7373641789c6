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
  // Calls visit(row, offset, count) for rows whose blocks follow one another in the indexed tensor
  // as well, where blocks are dense.
  template <class Visit>
  void for_joined_rows(int64_t begin, int64_t end, Visit visit) const;

 private:
  int64_t checked(const plans::IndexedDim& indexed, int64_t index) const;
  // Of some indices the bytes to their blocks, and how many blocks from each on follow one another.
  struct Batch {
    std::vector<int64_t> offsets, joined;  // `joined` only where somebody asks for it
    bool scattered = false;                // most blocks follow no other
    Batch(int64_t n, bool joins)
        : offsets(static_cast<size_t>(n)), joined(joins ? offsets.size() : 0) {}
  };
  void fill(int64_t begin, int64_t end, Batch& batch) const;
  // Calls visit(row, start, batch, first, count) for a range of rows, a few at a time: row + i
  // begins at start + batch.offsets[first + i].
  template <class Visit>
  void for_batches(int64_t begin, int64_t end, bool joins, Visit visit) const;

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
void IndexedRows::for_batches(int64_t begin, int64_t end, bool joins, Visit visit) const {
  if (begin >= end) return;
  constexpr int64_t kBatch = 256, kKept = 1 << 15;
  const int64_t n = indices();
  // Indices that are read several times are checked once, where a cache holds them.
  const bool several = n <= kKept && end - begin >= 2 * n;
  Batch batch(several ? n : std::min(kBatch, n), joins);
  if (several) fill(0, n, batch);
  plans::Odometer before(plan_.before_sizes, plan_.before_strides, 0);
  before.seek(begin / n);
  for (int64_t row = begin; row < end;) {
    const int64_t first = row % n;
    const int64_t count = std::min(several ? n : kBatch, std::min(n - first, end - row));
    if (!several) fill(first, first + count, batch);
    visit(row, before.offset(), batch, several ? first : 0, count);
    row += count;
    if (first + count == n) before.next();
  }
}

template <class Visit>
void IndexedRows::for_rows(int64_t begin, int64_t end, Visit visit) const {
  for_batches(begin, end, /*joins=*/false,
              [&](int64_t row, int64_t start, const Batch& batch, int64_t first, int64_t count) {
                const int64_t* at = batch.offsets.data() + first;
                for (int64_t i = 0; i < count; ++i) visit(row + i, start + at[i]);
              });
}

template <class Visit>
void IndexedRows::for_joined_rows(int64_t begin, int64_t end, Visit visit) const {
  for_batches(begin, end, /*joins=*/true,
              [&](int64_t row, int64_t start, const Batch& batch, int64_t first, int64_t count) {
                const int64_t *at = batch.offsets.data() + first,
                              *joined = batch.joined.data() + first;
                if (batch.scattered) {
                  for (int64_t i = 0; i < count; ++i) visit(row + i, start + at[i], 1);
                  return;
                }
                for (int64_t i = 0; i < count;) {
                  const int64_t run = std::min(joined[i], count - i);
                  visit(row + i, start + at[i], run);
                  i += run;
                }
              });
}

}  // namespace opweave::cpu
