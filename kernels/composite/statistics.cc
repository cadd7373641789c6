// Covariances and correlations of variables, and norms of slices.
#include <algorithm>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/corrcoef.h"
#include "opweave/kernels/composite/cov.h"
#include "opweave/kernels/composite/renorm.h"
#include "opweave/ops/add.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/cov.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/div.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/linalg_vector_norm.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/renorm_factor.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/sqrt.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/t.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/out_size.h"

namespace opweave::composite {
namespace {

Tensor total_of(const Tensor& t) { return ops::sum::call(t, {}); }

Tensor sum_of_rows(const Tensor& rows) {
  return ops::sum_dim_IntList::call(rows, IntList{1}, true, {});
}

// How much each observation counts; undefined if all do alike.
Tensor joint_weights(const Tensor& fweights, const Tensor& aweights) {
  for (const auto& [name, weights] : {std::pair{"fweights", &fweights}, {"aweights", &aweights}}) {
    OW_CHECK(!weights->defined() || holds_everywhere(opweave::ge(*weights, 0)), "cov(): ", name,
             " cannot be negative");
  }
  if (!fweights.defined()) return aweights;
  return aweights.defined() ? opweave::mul(fweights, aweights) : fweights;
}

// What squares are divided by; a warning, and 0, where that is not positive.
Tensor degrees_of_freedom(const Tensor& weights, const Tensor& aweights, int64_t correction) {
  const Tensor total = total_of(weights);
  OW_CHECK(holds_everywhere(opweave::ne(total, 0)),
           "cov(): weights sum to zero, can't be normalized");
  Tensor lost = opweave::mul(total, 0);
  if (!aweights.defined()) {
    lost = opweave::add(lost, correction);
  } else if (correction != 0) {
    lost = opweave::mul(opweave::div(total_of(opweave::mul(weights, aweights)), total), correction);
  }
  const Tensor freedom = opweave::sub(total, lost);
  if (holds_everywhere(opweave::gt(freedom, 0))) return freedom;
  warn_program("cov(): degrees of freedom is <= 0");
  return opweave::clamp_min(freedom, 0);
}

Tensor covariances(const Tensor& rows, int64_t correction) {
  const int64_t count = rows.size(1), freedom = count - correction;
  if (freedom <= 0) warn_program("cov(): degrees of freedom is <= 0");
  const Tensor centred = opweave::sub(rows, opweave::div(sum_of_rows(rows), Scalar(count)));
  return opweave::div(opweave::matmul(centred, opweave::t(centred)),
                      Scalar(std::max<int64_t>(freedom, 0)));
}

Tensor weighted_covariances(const Tensor& rows, const Tensor& weights, const Tensor& aweights,
                            int64_t correction) {
  const Tensor freedom = degrees_of_freedom(weights, aweights, correction);
  const Tensor means = opweave::div(sum_of_rows(opweave::mul(rows, weights)), total_of(weights));
  const Tensor centred = opweave::sub(rows, means);
  const Tensor other = opweave::mul(centred, weights);
  return opweave::div(opweave::matmul(opweave::to(centred, other.dtype()), opweave::t(other)),
                      freedom);
}

}  // namespace

Tensor cov(const Tensor& self, int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  Tensor rows = self.dim() == 2 ? self : opweave::reshape(self, {1, -1});
  if (!is_floating(rows.dtype())) rows = opweave::to(rows, default_dtype());
  const Tensor weights = joint_weights(fweights, aweights);
  return opweave::squeeze(weights.defined()
                              ? weighted_covariances(rows, weights, aweights, correction)
                              : covariances(rows, correction));
}

Tensor corrcoef(const Tensor& self) {
  const Tensor found = opweave::cov(self);
  if (found.dim() == 0) return opweave::div(found, found);
  const Tensor deviations = opweave::sqrt(opweave::diagonal(found));
  const Tensor scaled =
      opweave::div(opweave::div(found, opweave::unsqueeze(deviations, 1)), deviations);
  return opweave::clamp(scaled, -1, 1);
}

Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  DimVector others;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d != wrap_dim(dim, self.dim())) others.push_back(d);
  }
  // Squares of numbers of 16 bits are out of their range.
  const bool narrow = self.dtype() == kHalf || self.dtype() == kBFloat16;
  const Tensor norms = opweave::linalg_vector_norm(self, p, others, true,
                                                   narrow ? std::optional(kFloat) : std::nullopt);
  const Tensor factor = opweave::renorm_factor(norms, maxnorm.to_double());
  return opweave::mul(opweave::contiguous(self),
                      narrow ? opweave::to(factor, self.dtype()) : factor);
}

}  // namespace opweave::composite
