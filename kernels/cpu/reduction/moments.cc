// Variances, standard deviations, and both with the mean.
#include <cmath>

#include "kernels/cpu/reduction/reduce_moments.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "opweave/kernels/cpu/std.h"
#include "opweave/kernels/cpu/std_mean.h"
#include "opweave/kernels/cpu/var.h"
#include "opweave/kernels/cpu/var_mean.h"

namespace opweave::cpu {
namespace {

struct MomentsRequest {
  std::optional<IntList> dim;
  const std::optional<Scalar>& correction;
  bool keepdim;
  bool root;  // the standard deviation instead of the variance
};

// NaN where there is nothing left to divide by, as a division of zero by zero gives.
double spread(const Moments& m, double correction, bool root) {
  const double divisor = std::max(m.count - correction, 0.0);
  const double variance = m.count == 0 ? std::nan("") : m.squares / divisor;
  return root ? std::sqrt(variance) : variance;
}

Tensor spread_over(const Tensor& self, const MomentsRequest& request, Tensor* mean) {
  const DimMask mask = reduced_dims(request.dim, self.dim());
  const double correction = request.correction ? request.correction->to_double() : 1;
  Tensor out = make_result(self, mask, request.keepdim, self.dtype());
  if (mean != nullptr) *mean = make_result(self, mask, request.keepdim, self.dtype());
  reduce(self, mask, moments_kernel(self.dtype()),
         [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
           write_results<Moments>(out, states, n, begin, stride, [&](const Moments& m) {
             return spread(m, correction, request.root);
           });
           if (mean == nullptr) return;
           write_results<Moments>(*mean, states, n, begin, stride, [](const Moments& m) {
             return m.count == 0 ? std::nan("") : m.mean;
           });
         });
  return out;
}

void check_floating(const Tensor& self, std::string_view what) {
  OW_CHECK_NOT_IMPLEMENTED(contains(dtypes::kCommonFloating, self.dtype()), what,
                           " only support floating point and complex dtypes");
}

std::tuple<Tensor, Tensor> spread_and_mean(const Tensor& self, const MomentsRequest& request) {
  check_floating(self, request.root ? "std_mean" : "var_mean");
  Tensor mean;
  Tensor spread = spread_over(self, request, &mean);
  return {std::move(spread), std::move(mean)};
}

}  // namespace

Tensor var_correction(const Tensor& self, std::optional<IntList> dim,
                      const std::optional<Scalar>& correction, bool keepdim) {
  check_floating(self, "std and var");
  return spread_over(self, {dim, correction, keepdim, false}, nullptr);
}
Tensor std_correction(const Tensor& self, std::optional<IntList> dim,
                      const std::optional<Scalar>& correction, bool keepdim) {
  check_floating(self, "std and var");
  return spread_over(self, {dim, correction, keepdim, true}, nullptr);
}
std::tuple<Tensor, Tensor> var_mean_correction(const Tensor& self, std::optional<IntList> dim,
                                               const std::optional<Scalar>& correction,
                                               bool keepdim) {
  return spread_and_mean(self, {dim, correction, keepdim, false});
}
std::tuple<Tensor, Tensor> std_mean_correction(const Tensor& self, std::optional<IntList> dim,
                                               const std::optional<Scalar>& correction,
                                               bool keepdim) {
  return spread_and_mean(self, {dim, correction, keepdim, true});
}

}  // namespace opweave::cpu
