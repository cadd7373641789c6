// Products in terms of mm, bmm, mv and dot.
#include <algorithm>

#include "kernels/composite/reduced_dims.h"
#include "opweave/kernels/composite/addbmm.h"
#include "opweave/kernels/composite/addmv.h"
#include "opweave/kernels/composite/addr.h"
#include "opweave/kernels/composite/bilinear.h"
#include "opweave/kernels/composite/inner.h"
#include "opweave/kernels/composite/linear_backward.h"
#include "opweave/kernels/composite/matmul.h"
#include "opweave/kernels/composite/outer.h"
#include "opweave/kernels/composite/sum_to_size.h"
#include "opweave/kernels/composite/trace.h"
#include "opweave/ops/add.h"
#include "opweave/ops/addmm.h"
#include "opweave/ops/bmm.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/dot.h"
#include "opweave/ops/einsum.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/full_like.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mm.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/mv.h"
#include "opweave/ops/outer.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scaled.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/t.h"
#include "opweave/ops/tensordot.h"
#include "opweave/ops/to.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/number.h"

namespace opweave::composite {
namespace {

// All dimensions but the last as the rows of a matrix. Their number is not left to reshape(), which
// cannot tell it when there are no columns.
Tensor rows_of(const Tensor& t) {
  const int64_t columns = t.sizes().back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < t.sizes().size(); ++d) rows *= t.sizes()[d];
  return opweave::reshape(t, IntList{rows, columns});
}

// Leading dimensions folded into the rows of a matrix, multiplied, and unfolded.
Tensor matmul_folded(const Tensor& self, const Tensor& other) {
  DimVector sizes(self.sizes());
  const Tensor rows = rows_of(self);
  sizes.pop_back();
  if (other.dim() == 1) return opweave::reshape(opweave::mv(rows, other), sizes);
  sizes.push_back(other.size(1));
  return opweave::reshape(opweave::mm(rows, other), sizes);
}

DimVector batch_sizes(const Tensor& t) {
  const IntList sizes = t.sizes();
  return DimVector(sizes.begin(), sizes.end() - std::min<int64_t>(2, t.dim()));
}

Tensor as_batch(const Tensor& t, IntList batch) {
  DimVector sizes(batch);
  sizes.push_back(t.size(-2));
  sizes.push_back(t.size(-1));
  const Tensor expanded = same_sizes(t.sizes(), sizes) ? t : opweave::expand(t, sizes);
  if (batch.size() == 1) return expanded;
  int64_t count = 1;
  for (int64_t n : batch) count *= n;
  return opweave::reshape(expanded, IntList{count, t.size(-2), t.size(-1)});
}

Tensor matmul_batched(const Tensor& self, const Tensor& other) {
  const DimVector batch = broadcast_sizes(batch_sizes(self), batch_sizes(other));
  const Tensor product = opweave::bmm(as_batch(self, batch), as_batch(other, batch));
  if (batch.size() == 1) return product;
  DimVector sizes = batch;
  sizes.push_back(self.size(-2));
  sizes.push_back(other.size(-1));
  return opweave::reshape(product, sizes);
}

// A factor as products of that dtype take it: those of integers cut off its fraction, and keep
// their dtype.
Scalar factor_for(const Tensor& t, const Scalar& factor) {
  if (is_floating(t.dtype())) {
    check_fits(factor, compute_dtype(t.dtype()));
    return factor;
  }
  check_fits(factor, t.dtype());
  return factor.is_floating() ? Scalar(factor.to_long()) : factor;
}

// beta self + alpha product, where beta = 0 leaves self out, whatever it holds.
Tensor added(const Tensor& self, const Tensor& product, const Scalar& beta, const Scalar& alpha) {
  const Tensor term = opweave::scaled(product, factor_for(product, alpha));
  const Scalar keep = factor_for(self, beta);
  if (keep.equal(0)) return term;
  return opweave::add(opweave::scaled(self, keep), term);
}

// Where products are made element by element, or by a library for the dtype itself.
void check_element_factors(ScalarType dtype, const Scalar& beta, const Scalar& alpha) {
  if (!is_floating(dtype)) return;
  check_fits(beta, dtype);
  check_fits(alpha, dtype);
}

void check_outer_factor(ScalarType dtype, const Scalar& factor, std::string_view name) {
  OW_CHECK(is_floating(dtype) || !factor.is_floating(), "For integral input tensors, argument ",
           name, " must not be a floating point number.");
  OW_CHECK(dtype == kBool || !factor.is_bool(), "Boolean ", name,
           " only supported for Boolean results.");
}

void check_vectors(std::string_view op, const Tensor& self, const Tensor& other) {
  OW_CHECK(self.dim() == 1, op, ": Expected 1-D argument self, but got ", self.dim(), "-D");
  OW_CHECK(other.dim() == 1, op, ": Expected 1-D argument vec2, but got ", other.dim(), "-D");
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  const int64_t a = self.dim(), b = other.dim();
  OW_CHECK(a > 0 && b > 0, "both arguments to matmul need to be at least 1D, but they are ", a,
           "D and ", b, "D");
  if (a == 2 && b == 2) return opweave::mm(self, other);
  if (a == 1 && b == 1) return opweave::dot(self, other);
  if (a == 2 && b == 1) return opweave::mv(self, other);
  if (a == 1) {
    return ops::squeeze_dim::call(opweave::matmul(opweave::unsqueeze(self, 0), other), -2);
  }
  if (b <= 2) return matmul_folded(self, other);
  return matmul_batched(self, other);
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  check_element_factors(self.dtype(), beta, alpha);
  return added(self, opweave::mv(mat, vec), beta, alpha);
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  if (!contains(dtypes::kCommon, batch1.dtype())) {
    const Tensor each = opweave::bmm(batch1, batch2);
    return added(self, ops::sum_dim_IntList::call(each, IntList{0}, false, batch1.dtype()), beta,
                 alpha);
  }
  // One product, in which the batch is part of what is summed over: rounded once.
  const int64_t summed = batch1.size(0) * batch1.size(2);
  const Tensor left = opweave::reshape(opweave::transpose(batch1, 0, 1), {batch1.size(1), summed});
  const Tensor right = opweave::reshape(batch2, {summed, batch2.size(2)});
  return opweave::addmm(self, left, right, factor_for(self, beta), factor_for(left, alpha));
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  const Tensor product = opweave::outer(vec1, vec2);
  ResultType common;
  common.add(self);
  common.add(product);
  const ScalarType dtype = common.result();
  check_outer_factor(dtype, beta, "beta");
  check_outer_factor(dtype, alpha, "alpha");
  check_element_factors(dtype, beta, alpha);
  const Tensor kept =
      same_sizes(self.sizes(), product.sizes()) ? self : opweave::expand(self, product.sizes());
  if (dtype != kBool) {
    return added(kept.dtype() == dtype ? kept : opweave::to(kept, dtype), product, beta, alpha);
  }
  const Tensor term = opweave::logical_and(product, opweave::full_like(product, alpha));
  if (!beta.to_bool()) return term;
  return opweave::logical_or(kept, term);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  check_vectors("outer", self, vec2);
  return opweave::mul(opweave::unsqueeze(self, 1), vec2);
}

Tensor inner(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) return opweave::mul(self, other);
  OW_CHECK(self.size(-1) == other.size(-1),
           "inner() the last dimension must match on both input tensors but got shapes ",
           self.sizes(), " and ", other.sizes());
  return opweave::tensordot(self, other, IntList{-1}, IntList{-1});
}

Tensor trace(const Tensor& self) { return ops::sum::call(opweave::diagonal(self), {}); }

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias) {
  const Tensor operands[] = {input1, weight, input2};
  const Tensor form = opweave::einsum("...i,kij,...j->...k", operands, std::nullopt);
  return bias.defined() ? opweave::add(form, bias) : form;
}

std::tuple<Tensor, Tensor, Tensor> linear_backward(const Tensor& grad, const Tensor& input,
                                                   const Tensor& weight,
                                                   std::array<bool, 3> output_mask) {
  const auto [needs_input, needs_weight, needs_bias] = output_mask;
  Tensor grad_input, grad_weight, grad_bias;
  if (weight.dim() == 1) {  // a product with a vector
    const Tensor g = opweave::unsqueeze(grad, -1);
    if (needs_input) grad_input = opweave::mul(g, weight);
    if (needs_weight) grad_weight = opweave::mul(g, input);
    if (needs_bias) grad_bias = grad;
    return {grad_input, grad_weight, grad_bias};
  }
  const bool matrix = input.dim() == 2;
  const Tensor g = matrix ? grad : rows_of(grad);
  if (needs_input) {
    grad_input = opweave::mm(g, weight);
    if (!matrix) grad_input = opweave::reshape(grad_input, input.sizes());
  }
  if (needs_weight) {
    const Tensor x = matrix ? input : rows_of(input);
    grad_weight = opweave::mm(opweave::t(g), x);
  }
  if (needs_bias) grad_bias = ops::sum_dim_IntList::call(g, IntList{0}, false, {});
  return {grad_input, grad_weight, grad_bias};
}

Tensor sum_to_size(const Tensor& self, IntList size) {
  const int64_t leading = self.dim() - static_cast<int64_t>(size.size());
  OW_CHECK(leading >= 0, "size {", size, "} is not expandable to size {", self.sizes(), "}.");
  DimVector dims;
  for (int64_t d = 0; d < self.dim(); ++d) {
    const int64_t wanted = d < leading ? 1 : size[d - leading];
    const bool summed = d < leading || (wanted == 1 && self.sizes()[d] != 1);
    OW_CHECK(summed || wanted == self.sizes()[d], "size {", size, "} is not expandable to size {",
             self.sizes(), "}.");
    if (summed) dims.push_back(d);
  }
  if (dims.empty() && !size.empty()) return self;
  const Tensor total = ops::sum_dim_IntList::call(self, dims, /*keepdim=*/true, {});
  return leading > 0 ? opweave::view(total, size) : total;
}

}  // namespace opweave::composite
