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

void IndexedRows::fill(int64_t begin, int64_t end, Batch& batch) const {
  int64_t *at = batch.offsets.data(), *joined = batch.joined.data();
  offsets(begin, end, at);
  if (batch.joined.empty()) return;
  int64_t runs = 1;
  joined[end - begin - 1] = 1;
  for (int64_t i = end - begin - 1; i-- > 0;) {
    const bool follows = block().is_dense() && at[i + 1] == at[i] + block().bytes;
    joined[i] = follows ? joined[i + 1] + 1 : 1;
    runs += follows ? 0 : 1;
  }
  batch.scattered = 2 * runs > end - begin;
}

}  // namespace opweave::cpu
