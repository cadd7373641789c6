// The singular value decomposition as svd() gives it, and its derivatives.
#include "opweave/kernels/composite/svd.h"

#include <array>

#include "kernels/composite/new_tensor.h"
#include "opweave/kernels/composite/linalg_svd_jvp.h"
#include "opweave/kernels/composite/linalg_svdvals_backward.h"
#include "opweave/kernels/composite/linalg_svdvals_jvp.h"
#include "opweave/kernels/composite/svd_backward.h"
#include "opweave/ops/add.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/diag_embed.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/div.h"
#include "opweave/ops/linalg_svd.h"
#include "opweave/ops/linalg_svdvals.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/unsqueeze.h"

namespace opweave::composite {
namespace {

Tensor turned(const Tensor& t) { return opweave::transpose(t, -2, -1); }

// With each column, or row, multiplied by a number of `s`.
Tensor by_columns(const Tensor& t, const Tensor& s) {
  return opweave::mul(t, opweave::unsqueeze(s, -2));
}
Tensor by_rows(const Tensor& t, const Tensor& s) {
  return opweave::mul(t, opweave::unsqueeze(s, -1));
}

Tensor skew(const Tensor& t) { return opweave::sub(t, turned(t)); }
Tensor symmetric(const Tensor& t) { return opweave::add(t, turned(t)); }

// What of `t` is orthogonal to the columns of `u`.
Tensor beside(const Tensor& t, const Tensor& u) {
  return opweave::sub(t, opweave::matmul(u, opweave::matmul(turned(u), t)));
}

// The vectors that belong to the first k singular values.
Tensor first_columns(const Tensor& t, int64_t k) {
  return !t.defined() || t.size(-1) == k ? t : opweave::narrow(t, -1, 0, k);
}
Tensor first_rows(const Tensor& t, int64_t k) {
  return !t.defined() || t.size(-2) == k ? t : opweave::narrow(t, -2, 0, k);
}

// s_j^2 - s_i^2 beside the diagonal, where it is 1: what is divided by it is 0 there.
Tensor gaps(const Tensor& s) {
  const Tensor squares = opweave::mul(s, s);
  const Tensor differences =
      opweave::sub(opweave::unsqueeze(squares, -2), opweave::unsqueeze(squares, -1));
  return opweave::add(differences, opweave::diag_embed(opweave::ones_like(s)));
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? opweave::add(a, b) : a;
}

// The gradient between U and Vh: what it would be for a diagonal matrix.
Tensor inner_gradient(const Tensor& gU, const Tensor& gS, const Tensor& gVh, const Tensor& U,
                      const Tensor& S, const Tensor& Vh) {
  Tensor turns;
  if (gU.defined()) turns = by_columns(skew(opweave::matmul(turned(U), gU)), S);
  if (gVh.defined()) {
    turns = sum_of(turns, by_rows(skew(opweave::matmul(Vh, turned(gVh))), S));
  }
  if (turns.defined()) turns = opweave::div(turns, gaps(S));
  return gS.defined() ? sum_of(turns, opweave::diag_embed(gS)) : turns;
}

struct Tangents {
  Tensor U, S, Vh;
};

Tangents thin_tangents(const Tensor& dA, const Tensor& U, const Tensor& S, const Tensor& Vh) {
  const Tensor dA_V = opweave::matmul(dA, turned(Vh));
  const Tensor inner = opweave::matmul(turned(U), dA_V);
  const Tensor dS = opweave::diagonal(inner, 0, -2, -1);
  const Tensor turns = opweave::sub(inner, opweave::diag_embed(dS));
  const Tensor E = gaps(S);
  Tensor dU = opweave::matmul(U, opweave::div(symmetric(by_columns(turns, S)), E));
  Tensor dV = opweave::matmul(turned(Vh), opweave::div(symmetric(by_rows(turns, S)), E));
  if (U.size(-2) > S.size(-1)) {
    dU = opweave::add(dU, opweave::div(beside(dA_V, U), opweave::unsqueeze(S, -2)));
  }
  if (Vh.size(-1) > S.size(-1)) {
    const Tensor outside = beside(opweave::matmul(turned(dA), U), turned(Vh));
    dV = opweave::add(dV, opweave::div(outside, opweave::unsqueeze(S, -2)));
  }
  return {dU, dS, turned(dV)};
}

// Zeros for the vectors that belong to no singular value.
Tensor filled_up(const Tensor& t, const Tensor& like, int64_t dim) {
  const int64_t missing = like.size(dim) - t.size(dim);
  if (missing == 0) return t;
  DimVector sizes(t.sizes());
  sizes[static_cast<size_t>(t.dim() + dim)] = missing;
  return opweave::cat(std::array{t, zeros_of(sizes, t)}, dim);
}

Tensor square_zeros(const Tensor& like, int64_t n) {
  DimVector sizes(like.sizes());
  sizes[sizes.size() - 1] = sizes[sizes.size() - 2] = n;
  return zeros_of(sizes, like);
}

}  // namespace

Tensor svd_backward(const Tensor& gU_of_all, const Tensor& gS, const Tensor& gVh_of_all,
                    const Tensor& U_of_all, const Tensor& S, const Tensor& Vh_of_all) {
  const int64_t k = S.size(-1);
  const Tensor gU = first_columns(gU_of_all, k), U = first_columns(U_of_all, k);
  const Tensor gVh = first_rows(gVh_of_all, k), Vh = first_rows(Vh_of_all, k);
  if (!gU.defined() && !gVh.defined()) return opweave::matmul(by_columns(U, gS), Vh);
  const Tensor inner = inner_gradient(gU, gS, gVh, U, S, Vh);
  Tensor left = opweave::matmul(U, inner);
  if (gU.defined() && U.size(-2) > k) {
    left = opweave::add(left, beside(opweave::div(gU, opweave::unsqueeze(S, -2)), U));
  }
  const Tensor gradient = opweave::matmul(left, Vh);
  if (!gVh.defined() || Vh.size(-1) == k) return gradient;
  const Tensor outside = beside(turned(opweave::div(gVh, opweave::unsqueeze(S, -1))), turned(Vh));
  return opweave::add(gradient, opweave::matmul(U, turned(outside)));
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd_jvp(const Tensor& dA, const Tensor& U,
                                                  const Tensor& S, const Tensor& Vh) {
  const int64_t k = S.size(-1);
  const Tangents thin = thin_tangents(dA, first_columns(U, k), S, first_rows(Vh, k));
  return {filled_up(thin.U, U, -1), thin.S, filled_up(thin.Vh, Vh, -2)};
}

// The vectors are computed here alone, so that a forward pass costs what the values cost.
Tensor linalg_svdvals_backward(const Tensor& grad, const Tensor& A) {
  const auto [U, S, Vh] = opweave::linalg_svd(A, /*full_matrices=*/false);
  return opweave::matmul(by_columns(U, grad), Vh);
}

Tensor linalg_svdvals_jvp(const Tensor& dA, const Tensor& A) {
  const auto [U, S, Vh] = opweave::linalg_svd(A, /*full_matrices=*/false);
  const Tensor moved = opweave::mul(U, opweave::matmul(dA, turned(Vh)));
  return ops::sum_dim_IntList::call(moved, IntList{-2}, false, {});
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
  if (compute_uv) {
    const auto [U, S, Vh] = opweave::linalg_svd(self, /*full_matrices=*/!some);
    return {U, S, turned(Vh)};
  }
  const Tensor S = opweave::linalg_svdvals(self);
  return {square_zeros(self, self.size(-2)), S, turned(square_zeros(self, self.size(-1)))};
}

}  // namespace opweave::composite
