// Reductions in terms of other reductions, and the gradients of extremes, norms and moments.
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/reduced_dims.h"
#include "opweave/kernels/composite/aminmax.h"
#include "opweave/kernels/composite/extreme_backward.h"
#include "opweave/kernels/composite/index_along_backward.h"
#include "opweave/kernels/composite/logsumexp_backward.h"
#include "opweave/kernels/composite/mean_backward.h"
#include "opweave/kernels/composite/nanmean.h"
#include "opweave/kernels/composite/std_backward.h"
#include "opweave/kernels/composite/std_mean_backward.h"
#include "opweave/kernels/composite/sum_backward.h"
#include "opweave/kernels/composite/var_backward.h"
#include "opweave/kernels/composite/var_mean_backward.h"
#include "opweave/kernels/composite/vector_norm_backward.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/add.h"
#include "opweave/ops/amax.h"
#include "opweave/ops/amin.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/exp.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/log.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mean.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/nansum.h"
#include "opweave/ops/pow.h"
#include "opweave/ops/scatter.h"
#include "opweave/ops/sign.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "opweave/ops/zeros_like.h"

namespace opweave::composite {
namespace {}  // namespace

Tensor nanmean(const Tensor& self, std::optional<IntList> dim, bool keepdim,
               std::optional<ScalarType> dtype) {
  const Tensor count =
      ops::sum_dim_IntList::call(opweave::logical_not(opweave::isnan(self)), dim, keepdim, {});
  return opweave::div(opweave::nansum(self, dim, keepdim, dtype), count);
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  if (dim) {
    const int64_t d = wrap_dim(*dim, self.dim());
    OW_CHECK_INDEX(self.dim() == 0 || self.sizes()[d] != 0, "aminmax: Expected reduction dim ", d,
                   " to have non-zero size.");
    return {opweave::amin(self, IntList{d}, keepdim), opweave::amax(self, IntList{d}, keepdim)};
  }
  OW_CHECK(self.numel() != 0,
           "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
           "identity.");
  return {opweave::amin(self, IntList{}, keepdim), opweave::amax(self, IntList{}, keepdim)};
}

Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntList dim,
                          bool keepdim) {
  const ReducedDims dims(self.sizes(), dim, keepdim);
  const Tensor share = opweave::exp(opweave::sub(self, dims.restore(result)));
  return opweave::mul(dims.restore(grad), share);
}

Tensor sum_backward(const Tensor& grad, IntList sizes, std::optional<IntList> dim, bool keepdim) {
  return ReducedDims(sizes, dim, keepdim).expand(grad);
}

Tensor mean_backward(const Tensor& grad, IntList sizes, std::optional<IntList> dim, bool keepdim) {
  const ReducedDims dims(sizes, dim, keepdim);
  // A hook may write it.
  return opweave::contiguous(dims.expand(opweave::div(grad, Scalar(dims.numel()))));
}

Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntList dim,
                        bool keepdim, bool equal_nan) {
  const ReducedDims dims(self.sizes(), dim, keepdim);
  const Tensor extreme = dims.restore(result);
  Tensor mask = opweave::eq(self, extreme);
  if (equal_nan) mask = opweave::where(opweave::isnan(extreme), opweave::isnan(self), mask);
  const Tensor ties = ops::sum_dim_IntList::call(mask, dims.list(), true, {});
  return opweave::mul(opweave::div(dims.restore(grad), ties), mask);
}

Tensor index_along_backward(const Tensor& grad, int64_t dim, const Tensor& indices, IntList sizes,
                            bool keepdim) {
  if (sizes.empty()) return grad;
  const Tensor at = keepdim ? indices : opweave::unsqueeze(indices, dim);
  const Tensor values = keepdim ? grad : opweave::unsqueeze(grad, dim);
  return ops::scatter_src::call(zeros_of(sizes, grad), dim, at, values);
}

Tensor var_backward(const Tensor& grad, const Tensor& self, std::optional<IntList> dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  const ReducedDims dims(self.sizes(), dim, keepdim);
  const Tensor mean = ops::mean_dim::call(self, dims.list(), true, {});
  const double divisor =
      static_cast<double>(dims.numel()) - (correction ? correction->to_double() : 1);
  const Tensor distance = opweave::sub(self, mean);
  if (divisor <= 0) {
    const Tensor limit = opweave::masked_fill(
        opweave::masked_fill(opweave::zeros_like(self), opweave::eq(self, mean), std::nan("")),
        opweave::logical_not(opweave::eq(self, mean)), std::numeric_limits<double>::infinity());
    return opweave::mul(dims.restore(grad), limit);
  }
  return opweave::mul(opweave::mul(dims.restore(grad), Scalar(2 / divisor)), distance);
}

// The gradient of a variance from that of its root. Nothing is divided by zero: derivatives of the
// quotient would be NaN where it is masked.
static Tensor gradient_of_square(const Tensor& grad, const Tensor& root) {
  const Tensor none = opweave::eq(root, Scalar(0));
  const Tensor divisor = opweave::mul(opweave::masked_fill(root, none, 1), Scalar(2));
  return opweave::masked_fill(opweave::div(grad, divisor), none, 0);
}

Tensor std_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                    std::optional<IntList> dim, const std::optional<Scalar>& correction,
                    bool keepdim) {
  // What is divided by a small deviation leaves the range of 16 bits, though the product is in it.
  if (is_floating(self.dtype()) && element_size(self.dtype()) == 2) {
    const Tensor wide =
        opweave::composite::std_backward(opweave::to(grad, kFloat), opweave::to(self, kFloat),
                                         opweave::to(result, kFloat), dim, correction, keepdim);
    return opweave::to(wide, self.dtype());
  }
  return opweave::composite::var_backward(gradient_of_square(grad, result), self, dim, correction,
                                          keepdim);
}

static Tensor with_mean(Tensor total, const Tensor& grad_mean, const Tensor& self,
                        std::optional<IntList> dim, bool keepdim) {
  if (!grad_mean.defined()) return total;
  Tensor part = opweave::composite::mean_backward(grad_mean, self.sizes(), dim, keepdim);
  return total.defined() ? opweave::add(total, part) : part;
}

Tensor var_mean_backward(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         std::optional<IntList> dim, const std::optional<Scalar>& correction,
                         bool keepdim) {
  Tensor total;
  if (grad_var.defined()) {
    total = opweave::composite::var_backward(grad_var, self, dim, correction, keepdim);
  }
  return with_mean(std::move(total), grad_mean, self, dim, keepdim);
}

Tensor std_mean_backward(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& self,
                         const Tensor& std, std::optional<IntList> dim,
                         const std::optional<Scalar>& correction, bool keepdim) {
  Tensor total;
  if (grad_std.defined()) {
    total = opweave::composite::std_backward(grad_std, self, std, dim, correction, keepdim);
  }
  return with_mean(std::move(total), grad_mean, self, dim, keepdim);
}

Tensor vector_norm_backward(const Tensor& grad, const Tensor& self, const Scalar& ord,
                            const Tensor& result, std::optional<IntList> dim, bool keepdim) {
  // What is divided by a small norm leaves the range of 16 bits, though the product is in it.
  if (is_floating(self.dtype()) && element_size(self.dtype()) == 2) {
    const Tensor wide = opweave::composite::vector_norm_backward(
        opweave::to(grad, kFloat), opweave::to(self, kFloat), ord, opweave::to(result, kFloat), dim,
        keepdim);
    return opweave::to(wide, self.dtype());
  }
  const ReducedDims dims(self.sizes(), dim, keepdim);
  const double p = ord.to_double();
  const Tensor g = dims.restore(grad), norm = dims.restore(result);
  if (p == 0) return opweave::zeros_like(self);
  if (p == 1) return opweave::mul(opweave::sign(self), g);
  const Tensor no_norm = opweave::eq(norm, Scalar(0));
  // Nothing is divided by zero: derivatives of the quotient would be NaN where it is masked.
  const auto over_norm = [&](double power) {
    const Tensor divisor = opweave::masked_fill(norm, no_norm, 1);
    return opweave::masked_fill(
        opweave::div(g, power == 1 ? divisor : opweave::pow(divisor, Scalar(power))), no_norm, 0);
  };
  if (p == 2) return opweave::mul(self, over_norm(1));
  if (std::isinf(p)) {
    // NaN is an extreme of its own, and has the slope 0.
    const Tensor mask = opweave::where(opweave::isnan(norm), opweave::isnan(self),
                                       opweave::eq(opweave::abs(self), norm));
    const Tensor ties = ops::sum_dim_IntList::call(mask, dims.list(), true, {});
    return opweave::mul(opweave::mul(opweave::sign(self), opweave::div(g, ties)), mask);
  }
  // sign(x) |x|^(p-1) g / norm^(p-1); where that has no limit at zero, zero.
  const Tensor scale = over_norm(p - 1);
  // Slopes of |x|^q at zero are infinite for some q, and not those of the product.
  const Tensor zero = opweave::eq(self, Scalar(0));
  const auto power_of_size = [&](double power) {
    const Tensor size = opweave::masked_fill(opweave::abs(self), zero, 1);
    return opweave::masked_fill(opweave::pow(size, Scalar(power)), zero, 0);
  };
  if (p > 2) {
    const bool smooth = p == std::floor(p);
    const Tensor power =
        smooth ? opweave::pow(opweave::abs(self), Scalar(p - 2)) : power_of_size(p - 2);
    return opweave::mul(opweave::mul(self, power), scale);
  }
  const Tensor power = power_of_size(p - 1);
  return opweave::mul(opweave::mul(opweave::sign(self), power), scale);
}

}  // namespace opweave::composite
