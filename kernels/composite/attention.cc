// scaled_dot_product_attention, from its definition.
#include <cmath>
#include <limits>

#include "opweave/kernels/composite/scaled_dot_product_attention.h"
#include "opweave/ops/_softmax.h"
#include "opweave/ops/add.h"
#include "opweave/ops/all.h"
#include "opweave/ops/dropout.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones.h"
#include "opweave/ops/repeat_interleave.h"
#include "opweave/ops/to.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/tril.h"

namespace opweave::composite {
namespace {

Tensor causal_mask(const Tensor& query, const Tensor& key) {
  const Tensor ones =
      opweave::ones(IntList{query.size(-2), key.size(-2)}, kBool, query.layout(), query.device());
  return opweave::tril(ones);
}

// Scores where attention is not allowed become -inf; a row of nothing but those attends to nothing.
Tensor masked_softmax(const Tensor& scores, const Tensor& allowed) {
  const Tensor forbidden = opweave::logical_not(allowed);
  const Scalar never = -std::numeric_limits<double>::infinity();
  const Tensor weights =
      opweave::_softmax(opweave::masked_fill(scores, forbidden, never), -1, false);
  return opweave::masked_fill(weights, ops::all_dim::call(forbidden, -1, true), 0);
}

// The softmax of scores that a mask of numbers was added to: a row of -inf attends to nothing, and
// is taken for zeros, which give no NaN to the gradient either.
Tensor safe_softmax(const Tensor& scores) {
  const Scalar never = -std::numeric_limits<double>::infinity();
  const Tensor nothing = ops::all_dim::call(opweave::eq(scores, never), -1, true);
  const Tensor weights = opweave::_softmax(opweave::masked_fill(scores, nothing, 0), -1, false);
  return opweave::masked_fill(weights, nothing, 0);
}

// Heads of keys and values that several heads of queries share.
Tensor shared_heads(const Tensor& t, int64_t heads) {
  return ops::repeat_interleave_self_int::call(t, heads / t.size(-3), -3, std::nullopt);
}

// Scores and weights of 16 bits would be rounded between the products.
Tensor widened(const Tensor& t) {
  return t.defined() && is_floating(t.dtype()) ? opweave::to(t, t.device(), kFloat) : t;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  if (is_reduced_float(query.dtype())) {
    const Tensor result =
        scaled_dot_product_attention(widened(query), widened(key), widened(value),
                                     widened(attn_mask), dropout_p, is_causal, scale, enable_gqa);
    return opweave::to(result, query.device(), query.dtype());
  }
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  const Tensor k = enable_gqa ? shared_heads(key, query.size(-3)) : key;
  const Tensor v = enable_gqa ? shared_heads(value, query.size(-3)) : value;
  const Tensor scores =
      opweave::matmul(opweave::mul(query, Scalar(factor)), opweave::transpose(k, -2, -1));
  Tensor weights;
  if (is_causal) {
    weights = masked_softmax(scores, causal_mask(query, key));
  } else if (attn_mask.defined() && attn_mask.dtype() == kBool) {
    weights = masked_softmax(scores, attn_mask);
  } else if (attn_mask.defined()) {
    weights = safe_softmax(opweave::add(scores, attn_mask));
  } else {
    weights = opweave::_softmax(scores, -1, false);
  }
  return opweave::matmul(opweave::dropout(weights, dropout_p, true), v);
}

}  // namespace opweave::composite
