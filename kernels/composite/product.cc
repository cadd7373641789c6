// Gradients of products and running products. Where an element is zero, its gradient is the product
// of the others, which no division by it can give.
#include "opweave/kernels/composite/cumprod_backward.h"
#include "opweave/kernels/composite/prod_backward.h"
#include "opweave/kernels/composite/prod_dim_backward.h"
#include "opweave/ops/any.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/cumprod.h"
#include "opweave/ops/cumsum.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/flip.h"
#include "opweave/ops/item.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/prod.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/core/thread_state.h"

namespace opweave::composite {
namespace {

bool has_zero(const Tensor& x) {
  return opweave::item(ops::any::call(opweave::eq(x, Scalar(0)))).to_bool();
}

// The product of all elements before each one along `dim`.
Tensor products_before(const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  const Tensor one = opweave::ones_like(opweave::narrow(x, dim, 0, 1));
  const Tensor shifted[] = {one, opweave::narrow(x, dim, 0, n - 1)};
  return opweave::cumprod(opweave::cat(shifted, dim), dim);
}

Tensor products_of_others(const Tensor& x, int64_t dim) {
  const Tensor after =
      opweave::flip(products_before(opweave::flip(x, IntList{dim}), dim), IntList{dim});
  return opweave::mul(products_before(x, dim), after);
}

Tensor sum_from_end(const Tensor& x, int64_t dim) {
  return opweave::flip(opweave::cumsum(opweave::flip(x, IntList{dim}), dim), IntList{dim});
}

// Straight from the definition, one element of `dim` at a time: differentiable even where several
// elements are zero.
Tensor cumprod_gradient_by_element(const Tensor& grad, const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  std::vector<Tensor> parts;
  for (int64_t k = 0; k < n; ++k) {
    const Tensor here = opweave::narrow(x, dim, k, 1);
    const Tensor following[] = {opweave::ones_like(here),
                                opweave::narrow(x, dim, k + 1, n - k - 1)};
    const Tensor products = opweave::cumprod(opweave::cat(following, dim), dim);
    Tensor part = ops::sum_dim_IntList::call(
        opweave::mul(opweave::narrow(grad, dim, k, n - k), products), IntList{dim}, true, {});
    if (k > 0) {
      const Tensor before = opweave::narrow(x, dim, 0, k);
      part = opweave::mul(part, ops::prod_dim_int::call(before, dim, true, {}));
    }
    parts.push_back(std::move(part));
  }
  return opweave::cat(parts, dim);
}

// Before the first zero as without any; at the first zero the products are taken without it; the
// elements after it have no influence.
Tensor cumprod_gradient_with_zeros(const Tensor& grad, const Tensor& x, int64_t dim,
                                   const Tensor& result) {
  const Tensor zero = opweave::eq(x, Scalar(0));
  const Tensor zeros_so_far = opweave::cumsum(zero, dim);
  const Tensor before = opweave::eq(zeros_so_far, Scalar(0));
  const Tensor first = opweave::logical_and(zero, opweave::eq(zeros_so_far, Scalar(1)));
  const Tensor usual =
      opweave::div(sum_from_end(opweave::mul(grad, result), dim), opweave::masked_fill(x, zero, 1));
  const Tensor without = opweave::cumprod(opweave::masked_fill(x, first, 1), dim);
  const Tensor at_first = sum_from_end(opweave::mul(grad, without), dim);
  const Tensor rest = opweave::where(first, at_first, opweave::zeros_like(x));
  return opweave::where(before, usual, rest);
}

}  // namespace

Tensor prod_dim_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim,
                         bool keepdim) {
  if (self.dim() == 0) return grad;
  const Tensor g = keepdim ? grad : opweave::unsqueeze(grad, dim);
  const Tensor product = keepdim ? result : opweave::unsqueeze(result, dim);
  if (self.numel() == 0) return opweave::zeros_like(self);
  if (!has_zero(self)) return opweave::div(opweave::mul(g, product), self);
  return opweave::mul(g, products_of_others(self, wrap_dim(dim, self.dim())));
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return opweave::zeros_like(self);
  if (!has_zero(self)) return opweave::div(opweave::mul(grad, result), self);
  const Tensor others = products_of_others(opweave::reshape(self, IntList{-1}), 0);
  return opweave::mul(grad, opweave::reshape(others, self.sizes()));
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& result) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return opweave::zeros_like(self);
  if (!has_zero(self)) {
    return opweave::div(sum_from_end(opweave::mul(grad, result), dim), self);
  }
  const int64_t d = wrap_dim(dim, self.dim());
  return grad_enabled() ? cumprod_gradient_by_element(grad, self, d)
                        : cumprod_gradient_with_zeros(grad, self, d, result);
}

}  // namespace opweave::composite
