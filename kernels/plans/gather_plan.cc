// Geometry of gather and scatter.
#include "kernels/plans/gather_plan.h"

#include "kernels/plans/dims.h"

namespace opweave::plans {

GatherPlan::GatherPlan(const Tensor& self_arg, int64_t dim_arg, const Tensor& index_arg,
                       const Tensor* other_arg)
    : dim(dim_arg),
      inner_dim(dim == index_arg.dim() - 1 || index_arg.dim() == 0 ? -1 : index_arg.dim() - 1),
      size(length_along(self_arg, dim)),
      along(length_along(index_arg, dim)),
      inner_size(inner_dim < 0 ? 1 : index_arg.sizes()[inner_dim]) {
  for (int64_t d = index_arg.dim() - 1; d >= 0; --d) {
    if (d == dim || d == inner_dim) continue;
    outer_sizes.push_back(index_arg.sizes()[d]);
    outer_count *= index_arg.sizes()[d];
  }
  self = operand(self_arg);
  index = operand(index_arg);
  if (other_arg != nullptr) {
    other = operand(*other_arg);
  } else {
    other.outer.resize(outer_sizes.size());
  }
}

GatherOperand GatherPlan::operand(const Tensor& t) const {
  const auto item = static_cast<int64_t>(t.element_size());
  GatherOperand o;
  for (int64_t d = t.dim() - 1; d >= 0; --d) {
    const int64_t stride = t.strides()[d] * item;
    if (d == dim) {
      o.along = stride;
    } else if (d == inner_dim) {
      o.inner = stride;
    } else {
      o.outer.push_back(stride);
    }
  }
  return o;
}

}  // namespace opweave::plans
