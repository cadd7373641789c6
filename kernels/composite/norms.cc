// Norms of what lies at each place of a dimension.
#include "opweave/kernels/composite/norm_except_dim.h"
#include "opweave/ops/norm.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/core/tensor/dim_vector.h"

namespace opweave::composite {

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return ops::norm_Scalar::call(v, pow);
  const int64_t kept = wrap_dim(dim, v.dim());
  DimVector others;
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d != kept) others.push_back(d);
  if (!others.empty()) return ops::norm_ScalarOpt_dim::call(v, Scalar(pow), others, true);
  // No list of dimensions is empty: that would be all of them.
  return ops::norm_ScalarOpt_dim::call(opweave::unsqueeze(v, -1), Scalar(pow), IntList{-1}, false);
}

}  // namespace opweave::composite
