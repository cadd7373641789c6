// Norms of matrices, by sums, norms of vectors and singular values.
#include <algorithm>
#include <cmath>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/reduced_dims.h"
#include "opweave/kernels/composite/linalg_matrix_norm.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/amax.h"
#include "opweave/ops/amin.h"
#include "opweave/ops/linalg_svdvals.h"
#include "opweave/ops/linalg_vector_norm.h"
#include "opweave/ops/movedim.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"

namespace opweave::composite {
namespace {

Tensor sum_over(const Tensor& t, int64_t dim, bool keepdim) {
  return ops::sum_dim_IntList::call(t, IntList{dim}, keepdim, {});
}

// The largest or the smallest along a dimension. Where there is nothing, the largest of what cannot
// be negative is 0.
Tensor extreme(const Tensor& t, int64_t dim, bool keepdim, bool largest) {
  if (!largest) return opweave::amin(t, IntList{dim}, keepdim);
  const bool empty = t.sizes()[static_cast<size_t>(wrap_dim(dim, t.dim()))] == 0;
  return empty ? sum_over(t, dim, keepdim) : opweave::amax(t, IntList{dim}, keepdim);
}

// The singular values of the matrices in two dimensions, as the last dimension.
Tensor values_of(const Tensor& t, IntList dim) {
  return opweave::linalg_svdvals(opweave::movedim(t, dim, IntList{-2, -1}));
}

// A number for each matrix, with dimensions of size 1 for those of the matrix.
Tensor with_dims(const Tensor& norms, IntList dim, int64_t rank, bool keepdim) {
  if (!keepdim) return norms;
  const int64_t a = wrap_dim(dim[0], rank), b = wrap_dim(dim[1], rank);
  return opweave::unsqueeze(opweave::unsqueeze(norms, std::min(a, b)), std::max(a, b));
}

// The extreme of the sums of columns (dim[0] is added up) or of rows.
Tensor norm_of_sums(const Tensor& t, IntList dim, bool keepdim, double order) {
  const bool columns = std::abs(order) == 1;
  const int64_t added = dim[columns ? 0 : 1], compared = dim[columns ? 1 : 0];
  const Tensor sums = sum_over(opweave::abs(t), added, /*keepdim=*/true);
  const Tensor norms = extreme(sums, compared, /*keepdim=*/true, order > 0);
  return keepdim ? norms : without_reduced_dims(norms, reduced_dims(dim, t.dim()));
}

Tensor in_dtype(const Tensor& t, std::optional<ScalarType> dtype) {
  return dtype && *dtype != t.dtype() ? opweave::to(t, *dtype) : t;
}

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord, IntList dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const Tensor t = in_dtype(self, dtype);
  const double order = ord.to_double();
  if (std::abs(order) != 2) return norm_of_sums(t, dim, keepdim, order);
  const Tensor norms = extreme(values_of(t, dim), -1, /*keepdim=*/false, order > 0);
  return with_dims(norms, dim, t.dim(), keepdim);
}

Tensor linalg_matrix_norm_str_ord(const Tensor& self, std::string_view ord, IntList dim,
                                  bool keepdim, std::optional<ScalarType> dtype) {
  if (ord == "fro") return opweave::linalg_vector_norm(self, 2, dim, keepdim, dtype);
  const Tensor t = in_dtype(self, dtype);
  const Tensor norms = sum_over(values_of(t, dim), -1, /*keepdim=*/false);
  return with_dims(norms, dim, t.dim(), keepdim);
}

}  // namespace opweave::composite
