// Norms under the names that they had before those of `linalg`.
#include "opweave/kernels/composite/frobenius_norm.h"
#include "opweave/kernels/composite/nuclear_norm.h"
#include "opweave/ops/linalg_matrix_norm.h"
#include "opweave/ops/norm.h"
#include "runtime/rules/out_size.h"

namespace opweave::composite {
namespace {

void warn_of(std::string_view name, std::string_view instead) {
  warn_program(str("at::", name,
                   " is deprecated and it is just left for JIT compatibility. It will be removed "
                   "in a future PyTorch release. Please use `linalg.",
                   instead, "` instead"));
}

}  // namespace

Tensor frobenius_norm_dim(const Tensor& self, IntList dim, bool keepdim) {
  warn_of("frobenius_norm", "vector_norm(A, 2., dim, keepdim)");
  return ops::norm_ScalarOpt_dim::call(self, Scalar(2), dim, keepdim);
}

Tensor nuclear_norm_dim(const Tensor& self, IntList dim, bool keepdim) {
  warn_of("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)");
  return ops::linalg_matrix_norm_str_ord::call(self, "nuc", dim, keepdim, {});
}

}  // namespace opweave::composite
