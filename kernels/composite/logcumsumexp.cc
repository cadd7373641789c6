// Logarithms of running sums, by pairs 1, 2, 4, ... apart: each pass is one operator on any target.
#include "opweave/kernels/composite/logcumsumexp.h"

#include "opweave/ops/cat.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/logaddexp.h"
#include "opweave/ops/narrow.h"

namespace opweave::composite {

Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  const int64_t d = wrap_dim(dim, self.dim());
  const int64_t n = self.dim() == 0 ? 1 : self.size(d);
  if (n <= 1) return opweave::clone(self, MemoryFormat::kContiguous);
  Tensor found = opweave::contiguous(self);
  for (int64_t reach = 1; reach < n; reach *= 2) {
    const Tensor both = opweave::logaddexp(opweave::narrow(found, d, reach, n - reach),
                                           opweave::narrow(found, d, 0, n - reach));
    const Tensor parts[] = {opweave::narrow(found, d, 0, reach), both};
    found = opweave::cat(parts, d);
  }
  return found;
}

}  // namespace opweave::composite
