// Where blocks lie that indices name.
#include "kernels/plans/index_plan.h"

#include "kernels/plans/odometer.h"

namespace opweave::plans {
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

IndexPlan::IndexPlan(const Tensor& self, const IndexShape& shape)
    : block(block_of(self, shape.after)) {
  const auto item = static_cast<int64_t>(self.element_size());
  for (int64_t d : shape.indexed) {
    indexed.push_back({d, self.sizes()[d], self.strides()[d] * item});
  }
  for (size_t i = shape.before.size(); i-- > 0;) {
    before_sizes.push_back(self.sizes()[shape.before[i]]);
    before_strides.push_back(self.strides()[shape.before[i]] * item);
  }
  for (int64_t size : before_sizes) befores *= size;
  for (int64_t size : shape.index_sizes) indices *= size;
}

int64_t IndexPlan::before_offset(int64_t before) const {
  if (before == 0) return 0;
  Odometer odometer(before_sizes, before_strides, 0);
  odometer.seek(before);
  return odometer.offset();
}

}  // namespace opweave::plans
