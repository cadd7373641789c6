// Dimensions in another order.
#include "opweave/kernels/composite/movedim.h"
#include "opweave/kernels/composite/permute_backward.h"
#include "opweave/ops/permute.h"

namespace opweave::composite {

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

}  // namespace opweave::composite
