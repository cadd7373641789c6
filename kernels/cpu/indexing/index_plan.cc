// Offsets of what indices name.
#include "kernels/cpu/indexing/index_plan.h"

namespace opweave::cpu {
namespace {

StridedBlock block_of(const Tensor& self, IntList dims) {
  const auto item = static_cast<int64_t>(self.element_size());
  StridedBlock block{item, {}, {}, item};
  for (size_t i = dims.size(); i-- > 0;) {
    const int64_t size = self.sizes()[dims[i]], stride = self.strides()[dims[i]] * item;
    block.bytes *= size;
    if (size == 1) continue;
    if (block.sizes.empty() && stride == block.run) {
      block.run *= size;
    } else if (!block.sizes.empty() && stride == block.sizes.back() * block.strides.back()) {
      block.sizes.back() *= size;
    } else {
      block.sizes.push_back(size);
      block.strides.push_back(stride);
    }
  }
  return block;
}

}  // namespace

IndexPlan::IndexPlan(const Tensor& self, const IndexShape& shape, TensorList indices, bool wraps)
    : block_(block_of(self, shape.after)), wraps_(wraps) {
  const auto item = static_cast<int64_t>(self.element_size());
  for (int64_t d : shape.indexed) {
    indexed_.push_back({static_cast<const int64_t*>(indices[d].raw_data()), d, self.sizes()[d],
                        self.strides()[d] * item});
  }
  for (size_t i = shape.before.size(); i-- > 0;) {
    before_sizes_.push_back(self.sizes()[shape.before[i]]);
    before_strides_.push_back(self.strides()[shape.before[i]] * item);
  }
  for (int64_t size : before_sizes_) befores_ *= size;
  for (int64_t size : shape.index_sizes) indices_ *= size;
}

int64_t IndexPlan::before_offset(int64_t before) const {
  if (before == 0) return 0;
  Odometer odometer(before_sizes_, before_strides_, 0);
  odometer.seek(before);
  return odometer.offset();
}

int64_t IndexPlan::checked(const Indexed& indexed, int64_t i) const {
  const int64_t index = indexed.index[i], size = indexed.size;
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(size)) [[likely]]
    return index * indexed.stride;
  OW_CHECK_INDEX(wraps_ && index >= -size && index < 0, "index ", index,
                 " is out of bounds for dimension ", indexed.dim, " with size ", size);
  return (index + size) * indexed.stride;
}

void IndexPlan::offsets(int64_t begin, int64_t end, int64_t* out) const {
  std::fill(out, out + (end - begin), 0);
  for (const Indexed& indexed : indexed_) {
    for (int64_t i = begin; i < end; ++i) out[i - begin] += checked(indexed, i);
  }
}

}  // namespace opweave::cpu
