// embedding_renorm_: vectors of words, shortened in place.
#include "opweave/kernels/composite/embedding_renorm_.h"
#include "opweave/ops/_unique2.h"
#include "opweave/ops/index.h"
#include "opweave/ops/index_put_.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/norm.h"
#include "opweave/ops/renorm_factor.h"
#include "opweave/ops/reshape.h"

namespace opweave::composite {

Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  if (self.is_meta()) return self;
  const Tensor words = opweave::reshape(indices, IntList{-1});
  const Tensor rows[] = {std::get<0>(opweave::_unique2(words, true, false, false))};
  const Tensor found = opweave::index(self, rows);
  const Tensor lengths =
      ops::norm_ScalarOpt_dim::call(found, Scalar(norm_type), IntList{1}, /*keepdim=*/true);
  const Tensor shorter = opweave::mul(found, opweave::renorm_factor(lengths, max_norm));
  return opweave::index_put_(self, rows, shorter, /*accumulate=*/false);
}

}  // namespace opweave::composite
