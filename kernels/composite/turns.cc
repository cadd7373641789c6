// rot90 and column_stack: dimensions that are turned, and tensors side by side.
#include "opweave/kernels/composite/column_stack.h"
#include "opweave/kernels/composite/rot90.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/flip.h"
#include "opweave/ops/hstack.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/transpose.h"

namespace opweave::composite {

Tensor rot90(const Tensor& self, int64_t k, IntList dims) {
  const int64_t turns = (k % 4 + 4) % 4;
  if (turns == 0) return opweave::clone(self);
  if (turns == 2) return opweave::flip(self, dims);
  return opweave::transpose(opweave::flip(self, {turns == 1 ? dims[1] : dims[0]}), dims[0],
                            dims[1]);
}

Tensor column_stack(TensorList tensors) {
  std::vector<Tensor> columns;
  for (const Tensor& t : tensors) {
    columns.push_back(t.dim() <= 1 ? opweave::reshape(t, {t.numel(), 1}) : t);
  }
  return opweave::hstack(columns);
}

}  // namespace opweave::composite
