// Norms of windows, and of neighbouring channels.
#include <cmath>

#include "opweave/kernels/composite/local_response_norm.h"
#include "opweave/kernels/composite/lp_pool1d.h"
#include "opweave/kernels/composite/lp_pool2d.h"
#include "opweave/kernels/composite/lp_pool3d.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/add.h"
#include "opweave/ops/avg_pool1d.h"
#include "opweave/ops/avg_pool2d.h"
#include "opweave/ops/avg_pool3d.h"
#include "opweave/ops/constant_pad_nd.h"
#include "opweave/ops/div.h"
#include "opweave/ops/max_pool1d.h"
#include "opweave/ops/max_pool2d.h"
#include "opweave/ops/max_pool3d.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/neg.h"
#include "opweave/ops/pow.h"
#include "opweave/ops/relu.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/sign.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// Where a sum of powers is zero, its gradient is: hence the detour by sign and relu.
Tensor lp_pool(const Tensor& self, const Scalar& norm_type, IntList kernel, int64_t dims,
               const auto& maxima, const auto& means) {
  const double p = norm_type.to_double();
  OW_CHECK_VALUE(p != 0, "norm_type must be a non-zero value, but got ", norm_type);
  if (std::isinf(p)) {
    const Tensor sizes = opweave::abs(self);
    return p > 0 ? maxima(sizes) : opweave::neg(maxima(opweave::neg(sizes)));
  }
  int64_t count = 1;
  for (int64_t d = 0; d < dims; ++d) count *= rule::pick(kernel, d);
  const Tensor found = means(opweave::pow(self, norm_type));
  const Tensor size = opweave::mul(opweave::sign(found), opweave::relu(opweave::abs(found)));
  return opweave::pow(opweave::mul(size, Scalar(count)), Scalar(1.0 / p));
}

}  // namespace

Tensor lp_pool1d(const Tensor& self, const Scalar& norm_type, IntList kernel_size, IntList stride,
                 bool ceil_mode) {
  constexpr int64_t kZero[] = {0}, kOne[] = {1};
  return lp_pool(
      self, norm_type, kernel_size, 1,
      [&](const Tensor& x) {
        return opweave::max_pool1d(x, kernel_size, stride, kZero, kOne, ceil_mode);
      },
      [&](const Tensor& x) {
        return opweave::avg_pool1d(x, kernel_size, stride, kZero, ceil_mode);
      });
}

Tensor lp_pool2d(const Tensor& self, const Scalar& norm_type, IntList kernel_size, IntList stride,
                 bool ceil_mode) {
  constexpr int64_t kZero[] = {0, 0}, kOne[] = {1, 1};
  return lp_pool(
      self, norm_type, kernel_size, 2,
      [&](const Tensor& x) {
        return opweave::max_pool2d(x, kernel_size, stride, kZero, kOne, ceil_mode);
      },
      [&](const Tensor& x) {
        return opweave::avg_pool2d(x, kernel_size, stride, kZero, ceil_mode);
      });
}

Tensor lp_pool3d(const Tensor& self, const Scalar& norm_type, IntList kernel_size, IntList stride,
                 bool ceil_mode) {
  constexpr int64_t kZero[] = {0, 0, 0}, kOne[] = {1, 1, 1};
  return lp_pool(
      self, norm_type, kernel_size, 3,
      [&](const Tensor& x) {
        return opweave::max_pool3d(x, kernel_size, stride, kZero, kOne, ceil_mode);
      },
      [&](const Tensor& x) {
        return opweave::avg_pool3d(x, kernel_size, stride, kZero, ceil_mode);
      });
}

Tensor local_response_norm(const Tensor& self, int64_t size, double alpha, double beta, double k) {
  if (self.numel() == 0) return self;
  // The channels of an example as the rows of an image, whose windows are as wide as a column. Of a
  // volume where autocast sees a difference, which lets images be of 16 bits, as PyTorch pools
  // here.
  const int64_t rest = self.numel() / (self.size(0) * self.size(1));
  const bool volume = self.dim() > 3 && is_reduced_float(self.dtype());
  const Tensor squares =
      opweave::reshape(opweave::mul(self, self), IntList{self.size(0), 1, self.size(1), rest});
  const Tensor around =
      opweave::constant_pad_nd(squares, IntList{0, 0, size / 2, (size - 1) / 2}, 0);
  const Tensor pooled = volume ? opweave::avg_pool3d(opweave::unsqueeze(around, -1),
                                                     IntList{size, 1, 1}, IntList{1, 1, 1})
                               : opweave::avg_pool2d(around, IntList{size, 1}, IntList{1, 1});
  const Tensor means = opweave::reshape(pooled, self.sizes());
  const Tensor divisor =
      opweave::pow(opweave::add(opweave::mul(means, Scalar(alpha)), Scalar(k)), Scalar(beta));
  return opweave::div(self, divisor);
}

}  // namespace opweave::composite
