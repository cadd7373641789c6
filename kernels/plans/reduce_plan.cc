// Geometry of reductions.
#include "kernels/plans/reduce_plan.h"

#include <algorithm>
#include <numeric>

namespace opweave::plans {
namespace {

// Appends a dimension that lies outside of those already there, joined with the last when both
// together are one run.
void append(ReduceDims& dims, int64_t size, int64_t stride, int64_t out_stride) {
  if (size == 1) return;
  if (!dims.sizes.empty() && stride == stride_product(dims.strides.back(), dims.sizes.back()) &&
      out_stride == stride_product(dims.out_strides.back(), dims.sizes.back())) {
    dims.sizes.back() *= size;
    return;
  }
  dims.sizes.push_back(size);
  dims.strides.push_back(stride);
  dims.out_strides.push_back(out_stride);
}

// Broadcast dimensions (stride 0) make poor inner loops.
int64_t nearness(int64_t stride) { return stride == 0 ? INT64_MAX : stride; }

ReduceDims ordered_by_stride(const ReduceDims& dims) {
  DimVector order(dims.ndim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return nearness(dims.strides[a]) < nearness(dims.strides[b]);
  });
  ReduceDims sorted;
  for (int64_t d : order) append(sorted, dims.sizes[d], dims.strides[d], dims.out_strides[d]);
  return sorted;
}

int64_t first_nearness(const ReduceDims& dims) {
  return dims.ndim() == 0 ? INT64_MAX : nearness(dims.strides[0]);
}

}  // namespace

ReducePlan plan_reduction(const Tensor& self, DimMask mask, bool ordered) {
  ReducePlan plan;
  int64_t out_stride = 1;
  for (int64_t d = self.dim() - 1; d >= 0; --d) {
    const int64_t size = self.sizes()[d], stride = self.strides()[d];
    if (mask[d]) {
      append(plan.reduced, size, stride, 0);
    } else {
      append(plan.kept, size, stride, out_stride);
      out_stride *= size;
    }
  }
  if (!ordered && plan.reduced.ndim() > 1) plan.reduced = ordered_by_stride(plan.reduced);
  if (plan.kept.ndim() > 1) plan.kept = ordered_by_stride(plan.kept);
  plan.by_columns = first_nearness(plan.kept) < first_nearness(plan.reduced);
  return plan;
}

}  // namespace opweave::plans
