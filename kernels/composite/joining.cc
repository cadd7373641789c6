// Tensors put together: concatenation for targets without a kernel of their own, and stacks.
#include "kernels/composite/geometry.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/cat.h"
#include "opweave/kernels/composite/dstack.h"
#include "opweave/kernels/composite/hstack.h"
#include "opweave/kernels/composite/stack.h"
#include "opweave/kernels/composite/vstack.h"
#include "opweave/ops/atleast_1d.h"
#include "opweave/ops/atleast_2d.h"
#include "opweave/ops/atleast_3d.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/rules/cat.h"

namespace opweave::composite {
namespace {

template <class F>
std::vector<Tensor> each(TensorList tensors, F f) {
  std::vector<Tensor> results;
  results.reserve(tensors.size());
  for (const Tensor& t : tensors) results.push_back(f(t));
  return results;
}

void check_stack(TensorList tensors) {
  OW_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  for (size_t i = 1; i < tensors.size(); ++i) {
    OW_CHECK(same_sizes(tensors[i].sizes(), tensors[0].sizes()),
             "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
             " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  }
}

// What lies one after the other along a dimension, with a dimension that counts before it: so it
// lies as the parts do, which have no more dimensions.
Tensor in_two(const Tensor& joined, int64_t d, size_t count) {
  Geometry g = geometry_of(joined);
  const auto n = static_cast<int64_t>(count);
  const int64_t length = g.sizes[d] / n, stride = g.strides[d];
  g.sizes[d] = length;
  g.sizes.insert(d, n);
  g.strides.insert(d, length * stride);
  return view_of(joined, g);
}

}  // namespace

Tensor cat(TensorList tensors, int64_t dim) {
  const CatShape shape = cat_shape(tensors, dim);
  const Tensor result = make_cat_result(shape);
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped_by_cat(t)) continue;
    const int64_t length = t.sizes()[shape.dim];
    copy_into(part_of(result, shape.dim, start, length), t);
    start += length;
  }
  return result;
}

Tensor stack(TensorList tensors, int64_t dim) {
  check_stack(tensors);
  const int64_t d = wrap_dim(dim, tensors[0].dim() + 1);
  if (d < tensors[0].dim()) return in_two(opweave::cat(tensors, d), d, tensors.size());
  return opweave::cat(
      each(tensors, [&](const Tensor& t) { return ops::unsqueeze::make_view(t, d); }), d);
}

Tensor hstack(TensorList tensors) {
  OW_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  const auto rows = each(tensors, [](const Tensor& t) { return opweave::atleast_1d(t); });
  return opweave::cat(rows, rows[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  OW_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return opweave::cat(each(tensors, [](const Tensor& t) { return opweave::atleast_2d(t); }), 0);
}

Tensor dstack(TensorList tensors) {
  OW_CHECK(!tensors.empty(), "dstack expects a non-empty TensorList");
  return opweave::cat(each(tensors, [](const Tensor& t) { return opweave::atleast_3d(t); }), 2);
}

}  // namespace opweave::composite
