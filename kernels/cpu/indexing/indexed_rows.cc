// Offsets of what indices name.
#include "kernels/cpu/indexing/indexed_rows.h"

namespace opweave::cpu {

IndexedRows::IndexedRows(const Tensor& self, const IndexShape& shape, TensorList indices,
                         bool wraps)
    : plan_(self, shape), wraps_(wraps) {
  for (const plans::IndexedDim& indexed : plan_.indexed) {
    values_.push_back(static_cast<const int64_t*>(indices[indexed.dim].raw_data()));
  }
}

int64_t IndexedRows::checked(const plans::IndexedDim& indexed, int64_t index) const {
  const int64_t size = indexed.size;
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(size)) [[likely]]
    return index * indexed.stride;
  OW_CHECK_INDEX(wraps_ && index >= -size && index < 0, "index ", index,
                 " is out of bounds for dimension ", indexed.dim, " with size ", size);
  return (index + size) * indexed.stride;
}

void IndexedRows::offsets(int64_t begin, int64_t end, int64_t* out) const {
  std::fill(out, out + (end - begin), 0);
  for (size_t d = 0; d < values_.size(); ++d) {
    const plans::IndexedDim indexed = plan_.indexed[d];
    for (int64_t i = begin; i < end; ++i) out[i - begin] += checked(indexed, values_[d][i]);
  }
}

}  // namespace opweave::cpu
