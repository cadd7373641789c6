// scaled_dot_product_attention, from its definition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/attention_gradients.h"
#include "opweave/kernels/composite/attention_scores.h"
#include "opweave/kernels/composite/attention_weights.h"
#include "opweave/kernels/composite/scaled_dot_product_attention.h"
#include "opweave/ops/_scaled_dot_product_flash_attention_for_cpu.h"
#include "opweave/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h"
#include "opweave/ops/_softmax.h"
#include "opweave/ops/add.h"
#include "opweave/ops/all.h"
#include "opweave/ops/attention_slopes.h"
#include "opweave/ops/dropout.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones.h"
#include "opweave/ops/repeat_interleave.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sum_to_size.h"
#include "opweave/ops/to.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/tril.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/batching/batched_tensor.h"

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

double factor_of(const Tensor& query, std::optional<double> scale) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

// Products of query and key with a row of nothing but zeros where nothing is attended to.
Tensor softened(const Tensor& scores, const Tensor& query, const Tensor& key,
                const Tensor& attn_mask, bool is_causal) {
  if (is_causal) return masked_softmax(scores, causal_mask(query, key));
  if (!attn_mask.defined()) return opweave::_softmax(scores, -1, false);
  if (attn_mask.dtype() == kBool) return masked_softmax(scores, attn_mask);
  return safe_softmax(opweave::add(scores, attn_mask));
}

// Heads of two or three dimensions as (batch, 1, length, width).
Tensor as_heads(Tensor t) {
  if (t.dim() == 2) t = opweave::unsqueeze(t, 0);
  return t.dim() == 3 ? opweave::unsqueeze(t, 1) : t;
}

// Scores of an example from which on its attention is worth a call of its own: vmap runs the kernel
// that works by blocks on one example after the other.
constexpr int64_t kScoresOfExample = 1 << 15;

// Whether the kernel that works by blocks computes it: one batch of heads for all, nothing dropped.
bool in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, double dropout_p) {
  const bool on_host = q.in_host_memory() || q.is_meta();
  if (!on_host || dropout_p != 0 || q.dim() > 4 || q.dim() != k.dim() || q.dim() != v.dim())
    return false;
  const bool batched = is_batched(q) || is_batched(k) || is_batched(v);
  if (batched && q.numel() / std::max<int64_t>(q.size(-1), 1) * k.size(-2) < kScoresOfExample)
    return false;
  const auto leading = static_cast<size_t>(q.dim() - 2);
  return same_sizes(q.sizes().first(leading), k.sizes().first(leading)) &&
         same_sizes(q.sizes().first(leading), v.sizes().first(leading)) &&
         q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2);
}

Tensor attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& attn_mask,
                        bool is_causal, std::optional<double> scale) {
  const int64_t dim = q.dim();
  Tensor mask = attn_mask;
  if (mask.defined() && mask.dtype() != kBool) mask = opweave::to(mask, q.dtype());
  if (mask.defined() && mask.dim() == 3 && dim == 3) mask = opweave::unsqueeze(mask, 1);
  Tensor out = std::get<0>(opweave::_scaled_dot_product_flash_attention_for_cpu(
      as_heads(q), as_heads(k), as_heads(v), 0.0, is_causal, mask, scale));
  if (dim < 4) out = ops::squeeze_dim::call(out, 1);
  return dim < 3 ? ops::squeeze_dim::call(out, 0) : out;
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
  const Tensor k = enable_gqa ? shared_heads(key, query.size(-3)) : key;
  const Tensor v = enable_gqa ? shared_heads(value, query.size(-3)) : value;
  if (in_blocks(query, k, v, dropout_p))
    return attend_in_blocks(query, k, v, attn_mask, is_causal, scale);
  const Tensor weights = attention_weights(query, k, attn_mask, is_causal, scale);
  return opweave::matmul(opweave::dropout(weights, dropout_p, true), v);
}

Tensor attention_scores(const Tensor& query, const Tensor& key, std::optional<double> scale) {
  const Tensor scaled = opweave::mul(query, Scalar(factor_of(query, scale)));
  return opweave::matmul(scaled, opweave::transpose(key, -2, -1));
}

Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask,
                         bool is_causal, std::optional<double> scale) {
  return softened(attention_scores(query, key, scale), query, key, attn_mask, is_causal);
}

// Gradients of softmax(s) v with s = q kᵀ scale + mask: of the weights w it is g vᵀ, of the scores
// w (g vᵀ - the sum of w g vᵀ over keys).
std::tuple<Tensor, Tensor, Tensor, Tensor> attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& output, const Tensor& logsumexp, bool is_causal, const Tensor& attn_mask,
    std::optional<double> scale, std::array<bool, 4> output_mask) {
  if (!output_mask[3] && !recording(grad, query, key, value, attn_mask)) {
    const auto [q, k, v] = opweave::_scaled_dot_product_flash_attention_for_cpu_backward(
        grad, query, key, value, output, logsumexp, 0.0, is_causal, attn_mask, scale);
    return {q, k, v, Tensor()};
  }
  const Scalar factor = factor_of(query, scale);
  const Tensor weights = attention_weights(query, key, attn_mask, is_causal, scale);
  const Tensor slopes =
      opweave::attention_slopes(opweave::matmul(grad, opweave::transpose(value, -2, -1)), weights);
  Tensor q, k, v, m;
  if (output_mask[0]) q = opweave::mul(opweave::matmul(slopes, key), factor);
  if (output_mask[1])
    k = opweave::mul(opweave::matmul(opweave::transpose(slopes, -2, -1), query), factor);
  if (output_mask[2]) v = opweave::matmul(opweave::transpose(weights, -2, -1), grad);
  if (output_mask[3]) m = opweave::sum_to_size(slopes, attn_mask.sizes());
  return {q, k, v, m};
}

}  // namespace opweave::composite
