// Gradients and tangents of products and running products. Where an element is zero, its gradient
// is the product of the others, which no division by it can give.
#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/cumprod_backward.h"
#include "opweave/kernels/composite/cumprod_jvp.h"
#include "opweave/kernels/composite/prod_backward.h"
#include "opweave/kernels/composite/prod_dim_backward.h"
#include "opweave/ops/add.h"
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

namespace opweave::composite {
namespace {

bool has_zero(const Tensor& x) {
  return opweave::item(ops::any::call(opweave::eq(x, Scalar(0)))).to_bool();
}

int64_t zero_count(const Tensor& x) {
  return opweave::item(ops::sum::call(opweave::eq(x, Scalar(0)), {})).to_long();
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

// Where the zeros of `dim` are, and the products without the first.
struct FirstZero {
  FirstZero(const Tensor& x, int64_t dim) : zero(opweave::eq(x, Scalar(0))) {
    const Tensor zeros_so_far = opweave::cumsum(zero, dim);
    before = opweave::eq(zeros_so_far, Scalar(0));
    first = opweave::logical_and(zero, opweave::eq(zeros_so_far, Scalar(1)));
    without = opweave::cumprod(opweave::masked_fill(x, first, 1), dim);
  }

  Tensor zero, before, first, without;
};

// Before the first zero as without any; at the first zero the products are taken without it; the
// elements after it have no influence.
Tensor cumprod_gradient_with_zeros(const Tensor& grad, const Tensor& x, int64_t dim,
                                   const Tensor& result) {
  const FirstZero z(x, dim);
  const Tensor usual = opweave::div(sum_from_end(opweave::mul(grad, result), dim),
                                    opweave::masked_fill(x, z.zero, 1));
  const Tensor at_first = sum_from_end(opweave::mul(grad, z.without), dim);
  const Tensor rest = opweave::where(z.first, at_first, opweave::zeros_like(x));
  return opweave::where(z.before, usual, rest);
}

// Likewise: from the first zero on, its tangent alone counts.
Tensor cumprod_tangent_with_zeros(const Tensor& tangent, const Tensor& x, int64_t dim,
                                  const Tensor& result) {
  const FirstZero z(x, dim);
  const Tensor shares = opweave::div(tangent, opweave::masked_fill(x, z.zero, 1));
  const Tensor usual = opweave::mul(opweave::cumsum(shares, dim), result);
  const Tensor at_first = opweave::where(z.first, tangent, opweave::zeros_like(x));
  const Tensor rest = opweave::mul(opweave::cumsum(at_first, dim), z.without);
  return opweave::where(z.before, usual, rest);
}

// Straight from the definition: the tangent of each element, with the products of the others.
Tensor cumprod_tangent_by_element(const Tensor& tangent, const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  Tensor sum = opweave::zeros_like(x);
  for (int64_t k = 0; k < n; ++k) {
    const Tensor parts[] = {opweave::narrow(x, dim, 0, k), opweave::narrow(tangent, dim, k, 1),
                            opweave::narrow(x, dim, k + 1, n - k - 1)};
    const Tensor products = opweave::cumprod(opweave::cat(parts, dim), dim);
    const Tensor unmoved = opweave::zeros_like(parts[0]);
    const Tensor moved[] = {unmoved, opweave::narrow(products, dim, k, n - k)};
    sum = opweave::add(sum, opweave::cat(moved, dim));
  }
  return sum;
}

}  // namespace

Tensor prod_dim_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim,
                         bool keepdim) {
  if (self.dim() == 0) return grad;
  const Tensor g = keepdim ? grad : opweave::unsqueeze(grad, dim);
  const Tensor product = keepdim ? result : opweave::unsqueeze(result, dim);
  if (self.numel() == 0) return opweave::zeros_like(self);
  // The quotient first: a product of 16 bits would leave their range sooner.
  if (!has_zero(self)) return opweave::mul(g, opweave::div(product, self));
  return opweave::mul(g, products_of_others(self, wrap_dim(dim, self.dim())));
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return opweave::zeros_like(self);
  const int64_t zeros = zero_count(self);
  if (zeros == 0) return opweave::mul(grad, opweave::div(result, self));
  // Whatever the others are, infinite ones too.
  if (zeros > 1 && !recording(grad, self)) return opweave::zeros_like(self);
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
  return recording(grad, self) ? cumprod_gradient_by_element(grad, self, d)
                               : cumprod_gradient_with_zeros(grad, self, d, result);
}

Tensor cumprod_jvp(const Tensor& self_t, const Tensor& self_p, const Tensor& result, int64_t dim) {
  if (self_p.dim() == 0 || self_p.numel() == 0) return self_t;
  if (!has_zero(self_p)) {
    return opweave::mul(opweave::cumsum(opweave::div(self_t, self_p), dim), result);
  }
  const int64_t d = wrap_dim(dim, self_p.dim());
  return recording(self_t, self_p) ? cumprod_tangent_by_element(self_t, self_p, d)
                                   : cumprod_tangent_with_zeros(self_t, self_p, d, result);
}

}  // namespace opweave::composite
