// Where grid_sampler reads, as affine maps say.
#include "opweave/kernels/composite/affine_grid_generator.h"
#include "opweave/ops/div.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/linspace.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/to.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/zeros.h"

namespace opweave::composite {
namespace {

// The places of so many elements between -1 and 1: the centres of the outermost are there, or their
// outer edges.
Tensor places(int64_t count, bool align_corners, const Tensor& like) {
  if (count == 1) return opweave::zeros(IntList{1}, like.dtype(), like.layout(), like.device());
  const Tensor line =
      opweave::linspace(Scalar(-1), Scalar(1), count, like.dtype(), like.layout(), like.device());
  if (align_corners) return line;
  const Tensor inner = opweave::div(opweave::mul(line, Scalar(count - 1)), Scalar(count));
  return opweave::to(inner, like.dtype());
}

}  // namespace

Tensor affine_grid_generator(const Tensor& theta, IntList size, bool align_corners) {
  const IntList sizes = size.subspan(2);
  const int64_t dims = static_cast<int64_t>(sizes.size());
  std::vector<Tensor> columns;
  int64_t count = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    DimVector shape(sizes.size(), 1);
    shape[d] = sizes[d];
    count *= sizes[d];
    const Tensor line = opweave::reshape(places(sizes[d], align_corners, theta), shape);
    columns.push_back(opweave::expand(line, sizes));
  }
  columns.push_back(opweave::ones(sizes, theta.dtype(), theta.layout(), theta.device()));
  const Tensor points = opweave::reshape(opweave::stack(columns, -1), IntList{1, count, dims + 1});
  DimVector shape{theta.size(0)};
  for (int64_t n : sizes) shape.push_back(n);
  shape.push_back(dims);
  return opweave::reshape(opweave::matmul(points, opweave::transpose(theta, 1, 2)), shape);
}

}  // namespace opweave::composite
