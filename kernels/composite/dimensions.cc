// Views that reorder, add and remove dimensions, and their in-place forms.
#include "kernels/composite/geometry.h"
#include "opweave/kernels/composite/movedim.h"
#include "opweave/kernels/composite/permute.h"
#include "opweave/kernels/composite/permute_backward.h"
#include "opweave/kernels/composite/squeeze.h"
#include "opweave/kernels/composite/squeeze_.h"
#include "opweave/kernels/composite/t.h"
#include "opweave/kernels/composite/t_.h"
#include "opweave/kernels/composite/transpose.h"
#include "opweave/kernels/composite/transpose_.h"
#include "opweave/kernels/composite/unsqueeze.h"
#include "opweave/kernels/composite/unsqueeze_.h"
#include "opweave/ops/permute.h"

namespace opweave::composite {

Tensor transpose_int(const Tensor& self, int64_t dim0, int64_t dim1) {
  return view_of(self, transposed(self, dim0, dim1));
}
Tensor& transpose_(Tensor& self, int64_t dim0, int64_t dim1) {
  return change(self, transposed(self, dim0, dim1));
}

Tensor t(const Tensor& self) { return view_of(self, matrix_transposed(self, "t")); }
Tensor& t_(Tensor& self) { return change(self, matrix_transposed(self, "t_")); }

Tensor permute(const Tensor& self, IntList dims) { return view_of(self, permuted(self, dims)); }

Tensor permute_backward(const Tensor& grad, IntList dims) {
  const DimVector order = wrap_dims("permute", dims, grad.dim());
  DimVector inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return opweave::permute(grad, inverse);
}

Tensor movedim_intlist(const Tensor& self, IntList source, IntList destination) {
  OW_CHECK(source.size() == destination.size(),
           "movedim: Invalid source or destination dims: source (", source,
           " dims) should contain the same number of dims as destination (", destination, " dims)");
  const DimVector from = wrap_dims("movedim", source, self.dim());
  const DimVector to = wrap_dims("movedim", destination, self.dim());
  if (self.dim() == 0) return opweave::permute(self, {});
  DimVector order(static_cast<size_t>(self.dim()), -1);
  for (size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  int64_t rest = 0;
  for (int64_t& d : order) {
    if (d >= 0) continue;
    while (std::find(from.begin(), from.end(), rest) != from.end()) ++rest;
    d = rest++;
  }
  return opweave::permute(self, order);
}

Tensor squeeze(const Tensor& self) { return view_of(self, squeezed(self)); }
Tensor squeeze_dim(const Tensor& self, int64_t dim) { return view_of(self, squeezed(self, {dim})); }
Tensor squeeze_dims(const Tensor& self, IntList dim) { return view_of(self, squeezed(self, dim)); }
Tensor& squeeze_(Tensor& self) { return change(self, squeezed(self)); }
Tensor& squeeze__dim(Tensor& self, int64_t dim) { return change(self, squeezed(self, {dim})); }
Tensor& squeeze__dims(Tensor& self, IntList dim) { return change(self, squeezed(self, dim)); }

Tensor unsqueeze(const Tensor& self, int64_t dim) { return view_of(self, unsqueezed(self, dim)); }
Tensor& unsqueeze_(Tensor& self, int64_t dim) { return change(self, unsqueezed(self, dim)); }

}  // namespace opweave::composite
