// Variances, standard deviations, and both with the mean.
#include <cmath>

#include "kernels/cpu/reduction/reduce_moments.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/std.h"
#include "opweave/kernels/cpu/std_mean.h"
#include "opweave/kernels/cpu/var.h"
#include "opweave/kernels/cpu/var_mean.h"

namespace opweave::cpu {
namespace {

// NaN where there is nothing left to divide by, as a division of zero by zero gives.
double spread(const Moments& m, double correction, bool root) {
  const double divisor = std::max(m.count - correction, 0.0);
  const double variance = m.count == 0 ? std::nan("") : m.squares / divisor;
  return root ? std::sqrt(variance) : variance;
}

struct MomentsRequest {
  std::optional<IntList> dim;
  const std::optional<Scalar>& correction;
  bool root;  // the standard deviation instead of the variance
};

void spread_over(const Tensor& self, const MomentsRequest& request, Tensor& out, Tensor* mean) {
  const double correction = request.correction ? request.correction->to_double() : 1;
  reduce(self, plans::mask_of(request.dim, self.dim()), moments_kernel(self.dtype()),
         [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
           write_results<Moments>(out, states, n, begin, stride, [&](const Moments& m) {
             return spread(m, correction, request.root);
           });
           if (mean == nullptr) return;
           write_results<Moments>(*mean, states, n, begin, stride, [](const Moments& m) {
             return m.count == 0 ? std::nan("") : m.mean;
           });
         });
}

}  // namespace

void var_correction(const Tensor& self, std::optional<IntList> dim,
                    const std::optional<Scalar>& correction, bool /*keepdim*/, Tensor& out) {
  spread_over(self, {dim, correction, false}, out, nullptr);
}
void std_correction(const Tensor& self, std::optional<IntList> dim,
                    const std::optional<Scalar>& correction, bool /*keepdim*/, Tensor& out) {
  spread_over(self, {dim, correction, true}, out, nullptr);
}
void var_mean_correction(const Tensor& self, std::optional<IntList> dim,
                         const std::optional<Scalar>& correction, bool /*keepdim*/, Tensor& out0,
                         Tensor& out1) {
  spread_over(self, {dim, correction, false}, out0, &out1);
}
void std_mean_correction(const Tensor& self, std::optional<IntList> dim,
                         const std::optional<Scalar>& correction, bool /*keepdim*/, Tensor& out0,
                         Tensor& out1) {
  spread_over(self, {dim, correction, true}, out0, &out1);
}

}  // namespace opweave::cpu
