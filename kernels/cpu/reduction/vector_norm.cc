// linalg_vector_norm: norms of every order.
#include <cmath>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/reduction/powers.h"
#include "kernels/cpu/reduction/reduce_extreme.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/cpu/reduction/reduce_sum.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/linalg_vector_norm.h"

namespace opweave::cpu {
namespace {

void largest(Tensor& out, const Tensor& in, DimMask mask, Extreme which) {
  visit_floating("linalg.vector_norm", in.dtype(), [&]<class T>(TypeTag<T>) {
    using C = compute_type<T>;
    reduce(in, mask, extreme_kernel(in.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<C>(out, states, n, begin, stride, [](C value) { return value; });
           });
  });
}

}  // namespace

void linalg_vector_norm(const Tensor& self, const Scalar& ord, std::optional<IntList> dim,
                        bool /*keepdim*/, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  const DimMask mask = plans::mask_of(dim, self.dim());
  Tensor widened;
  if (out.dtype() == kDouble && self.dtype() != kDouble) widened = converted(self, kDouble);
  const Tensor& in = widened.defined() ? widened : self;
  // Of one element every norm is its magnitude, whose power may have no place.
  const bool is_one = reduced_numel(in.sizes(), mask) == 1 && ord.to_double() != 0;
  const double p = is_one ? 1 : ord.to_double();
  auto sum = [&](const Tensor& x, SumOf what, auto&& value) {
    reduce_numbers(out, x, mask, sum_kernel(x.dtype(), what), value);
  };
  if (p == 2) {
    sum(in, SumOf::kSquares, [](double total) { return std::sqrt(total); });
  } else if (p == 1) {
    sum(in, SumOf::kMagnitudes, [](double total) { return total; });
  } else if (p == 0) {
    sum(in, SumOf::kNonzeros, [](double total) { return total; });
  } else if (std::isinf(p)) {
    largest(out, in, mask, p > 0 ? Extreme::kMaxMagnitude : Extreme::kMinMagnitude);
  } else {
    sum(powers_of_magnitudes(in, p), SumOf::kElements,
        [&](double total) { return std::pow(total, 1 / p); });
  }
}

}  // namespace opweave::cpu
