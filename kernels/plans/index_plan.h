// IndexPlan: where the elements of self[indices] lie. The result is seen as rows: for every
// position in the dimensions before the indexed ones and every index, a block of the dimensions
// after them. What the indices say is not looked at.
#pragma once

#include <vector>

#include "runtime/rules/index.h"

namespace opweave::plans {

// A block of elements as it lies in the indexed tensor; outside it is dense.
struct StridedBlock {
  int64_t run;        // bytes that are dense in both
  DimVector sizes;    // of the rest, innermost first
  DimVector strides;  // in bytes
  int64_t bytes;      // of the whole block
  bool is_dense() const { return sizes.empty(); }
};

// A dimension that an index is given for: its place, which is that of the index in the list as
// well, its size, and the bytes from one position to the next.
struct IndexedDim {
  int64_t dim, size, stride;
};

struct IndexPlan {
  IndexPlan(const Tensor& self, const IndexShape& shape);

  int64_t rows() const { return befores * indices; }
  // Bytes from the start of self to a position of the dimensions before.
  int64_t before_offset(int64_t before) const;

  std::vector<IndexedDim> indexed;
  DimVector before_sizes, before_strides;  // innermost first, in bytes
  int64_t befores = 1, indices = 1;        // how many there are
  StridedBlock block;
};

}  // namespace opweave::plans
