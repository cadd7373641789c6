// _scaled_dot_product_flash_attention_for_cpu and its gradients: heads and blocks of queries, split
// between threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/cpu/attention/attention_kernel.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/_scaled_dot_product_flash_attention_for_cpu.h"
#include "opweave/kernels/cpu/_scaled_dot_product_flash_attention_for_cpu_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Queries of a block, a multiple of the rows of a tile and of a panel's columns.
constexpr int64_t kBlock = 192;

int64_t divided_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// A tensor whose rows are as the kernel wants them: of adjacent elements, and of its widths.
class Padded {
 public:
  explicit Padded(const Tensor& t) : tensor_(t) {
    const int64_t width = t.size(3), wide = divided_up(width, kAttentionWidth) * kAttentionWidth;
    if (width == wide && (width <= 1 || t.strides()[3] == 1)) return;
    tensor_ = of_rows(t, wide);
    if (width != wide) fill_elements(tensor_, 0);
    Tensor part = of_width(width);
    copy_elements(part, t);
  }
  // A result, which finish() brings to `out`. With `zeros` it is added to.
  Padded(const Tensor& out, bool zeros) : tensor_(out) {
    const int64_t width = out.size(3), wide = divided_up(width, kAttentionWidth) * kAttentionWidth;
    if (width != wide || (width > 1 && out.strides()[3] != 1)) {
      tensor_ = of_rows(out, wide);
    }
    if (zeros) fill_elements(tensor_, 0);
  }
  void finish(Tensor& out) const {
    if (!tensor_.is_same(out)) copy_elements(out, of_width(out.size(3)));
  }

  int64_t width() const { return tensor_.size(3); }
  AttentionRows head(int64_t batch, int64_t head) const {
    const IntList strides = tensor_.strides();
    const int64_t at = batch * strides[0] + head * strides[1];
    char* data = static_cast<char*>(tensor_.raw_data());
    return {data + at * static_cast<int64_t>(tensor_.element_size()), strides[2]};
  }

 private:
  static DimVector sizes_of(const Tensor& t, int64_t width) {
    return DimVector{t.size(0), t.size(1), t.size(2), width};
  }
  static Tensor of_rows(const Tensor& t, int64_t width) {
    return make_tensor(sizes_of(t, width), t.dtype(), t.device());
  }
  Tensor of_width(int64_t width) const {
    const DimVector sizes = sizes_of(tensor_, width);
    return make_alias(tensor_, sizes, tensor_.strides(), tensor_.storage_offset());
  }

  Tensor tensor_;
};

// A mask as numbers that are added to scores, with strides for all four dimensions.
class AddedMask {
 public:
  AddedMask(const Tensor& mask, const Tensor& query, int64_t keys) {
    if (!mask.defined()) return;
    replaces_ = mask.dtype() == kBool;
    numbers_ = mask.dtype() == query.dtype() ? mask : numbers(mask, query.dtype());
    const int64_t missing = 4 - numbers_.dim();
    for (int64_t d = missing; d < 4; ++d) {
      const bool repeats = numbers_.size(d - missing) == 1 && (d < 3 ? query.size(d) : keys) != 1;
      strides_[d] = repeats ? 0 : numbers_.strides()[static_cast<size_t>(d - missing)];
    }
  }

  AttentionMask head(int64_t batch, int64_t head) const {
    if (!numbers_.defined()) return {};
    const int64_t at = batch * strides_[0] + head * strides_[1];
    const char* data = static_cast<const char*>(numbers_.raw_data());
    return {data + at * static_cast<int64_t>(numbers_.element_size()), strides_[2], strides_[3],
            replaces_};
  }

 private:
  static Tensor numbers(const Tensor& mask, ScalarType dtype) {
    Tensor result = make_tensor(mask.sizes(), dtype, mask.device());
    copy_elements(result, mask);
    if (mask.dtype() != kBool) return result;
    const auto turn = [&]<class C>(C* values) {  // 1 and 0
      const C never = -std::numeric_limits<C>::infinity();
      for (int64_t i = 0; i < result.numel(); ++i) values[i] = values[i] != C(0) ? C(0) : never;
    };
    dtype == kFloat ? turn(result.data<float>()) : turn(result.data<double>());
    return result;
  }

  Tensor numbers_;
  int64_t strides_[4] = {};
  bool replaces_ = false;
};

// The arguments of a call, as heads.
struct Heads {
  Padded query, key, value;
  AddedMask mask;
  int64_t batches, heads, queries, keys;
  double scale;
  bool causal;
  ScalarType dtype;
  AttentionKernel kernel;

  Heads(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& attn_mask, bool is_causal,
        std::optional<double> factor)
      : query(q),
        key(k),
        value(v),
        mask(attn_mask, q, k.size(2)),
        batches(q.size(0)),
        heads(q.size(1)),
        queries(q.size(2)),
        keys(k.size(2)),
        scale(factor.value_or(1 / std::sqrt(static_cast<double>(q.size(3))))),
        causal(is_causal),
        dtype(q.dtype()),
        kernel(attention_kernel(dtype)) {}

  int64_t count() const { return batches * heads; }
  AttentionHead head(int64_t i) const {
    const int64_t b = i / heads, h = i % heads;
    return {query.head(b, h), key.head(b, h), value.head(b, h), queries, keys,
            query.width(),    value.width(),  mask.head(b, h),  scale,   causal};
  }
  // A number for each query, in memory of its own.
  void* numbers(const Tensor& t, int64_t i) const {
    return static_cast<char*>(t.raw_data()) + i * queries * static_cast<int64_t>(t.element_size());
  }
  Tensor room(int64_t block) const {
    const int64_t elements = kernel.room(head(0), block);
    return make_tensor(IntList{elements}, dtype, kCPU);
  }
  // Parts of the work that are worth a thread.
  int64_t grain(int64_t rows) const {
    const int64_t work = rows * keys * (query.width() + value.width()) / 16;
    return std::max<int64_t>(kGrainSize / std::max<int64_t>(work, 1), 1);
  }
  // Blocks small enough for all threads.
  int64_t block() const {
    int64_t block = std::min(kBlock, queries);
    while (block > kBlock / 4 && count() * divided_up(queries, block) < num_threads()) block /= 2;
    return block;
  }
};

// Which of n blocks comes at a place, so that ranges of places have as much work: the last ones of
// causal attention see more keys.
int64_t balanced(int64_t place, int64_t n) {
  return place % 2 == 0 ? place / 2 : n - 1 - place / 2;
}

AttentionRange part(int64_t i, int64_t block, int64_t n) {
  return {i * block, std::min((i + 1) * block, n)};
}

// The three gradients of some heads, each thread heads of its own.
struct BackwardPass {
  const Heads& heads;
  const Padded &grad, &output;
  const Tensor& logsumexp;
  const Padded &query, &key, &value;

  AttentionGradients of_head(int64_t i) const {
    const int64_t b = i / heads.heads, h = i % heads.heads;
    return {grad.head(b, h),  output.head(b, h), heads.numbers(logsumexp, i),
            query.head(b, h), key.head(b, h),    value.head(b, h)};
  }

  void by_heads() const {
    const int64_t block = std::min(kBlock, heads.queries);
    parallel_for(0, heads.count(), heads.grain(heads.queries), [&](int64_t from, int64_t to) {
      const Tensor room = heads.room(block);
      for (int64_t i = from; i < to; ++i) {
        heads.kernel.backward(heads.head(i), of_head(i), {0, heads.queries}, {0, heads.keys}, block,
                              room.raw_data());
      }
    });
  }

  // With fewer heads than threads: scores are computed twice, by those who add up over keys and by
  // those who do over queries. Sums have the order of by_heads().
  void by_blocks() const {
    const int64_t block = std::min(kBlock, heads.queries);
    const int64_t of_queries = divided_up(heads.queries, block);
    const int64_t of_keys = divided_up(heads.keys, kAttentionKeys), n = of_queries + of_keys;
    parallel_for(0, heads.count() * n, 1, [&](int64_t from, int64_t to) {
      const Tensor room = heads.room(block);
      for (int64_t i = from; i < to; ++i) {
        AttentionGradients wanted = of_head(i / n);
        AttentionRange queries{0, heads.queries}, keys{0, heads.keys};
        const int64_t at = i % n;
        if (at < of_queries) {
          wanted.key = wanted.value = {};
          queries = part(balanced(at, of_queries), block, heads.queries);
        } else {
          wanted.query = {};
          keys = part(at - of_queries, kAttentionKeys, heads.keys);
          if (heads.causal) queries.from = std::min(keys.from / block * block, heads.queries);
        }
        heads.kernel.backward(heads.head(i / n), wanted, queries, keys, block, room.raw_data());
      }
    });
  }
};

}  // namespace

void _scaled_dot_product_flash_attention_for_cpu(const Tensor& query, const Tensor& key,
                                                 const Tensor& value, double /*dropout_p*/,
                                                 bool is_causal, const Tensor& attn_mask,
                                                 std::optional<double> scale, Tensor& output,
                                                 Tensor& logsumexp) {
  const Heads heads(query, key, value, attn_mask, is_causal, scale);
  if (heads.count() == 0 || heads.queries == 0) return;
  const Padded out(output, /*zeros=*/false);
  const int64_t block = heads.block(), n = divided_up(heads.queries, block);
  parallel_for(0, heads.count() * n, heads.grain(block), [&](int64_t from, int64_t to) {
    const Tensor room = heads.room(block);
    for (int64_t i = from; i < to; ++i) {
      const int64_t at = i / n;
      heads.kernel.forward(heads.head(at), part(balanced(i % n, n), block, heads.queries),
                           out.head(at / heads.heads, at % heads.heads),
                           heads.numbers(logsumexp, at), room.raw_data());
    }
  });
  out.finish(output);
}

void _scaled_dot_product_flash_attention_for_cpu_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, double /*dropout_p*/, bool is_causal,
    const Tensor& attn_mask, std::optional<double> scale, Tensor& grad_query, Tensor& grad_key,
    Tensor& grad_value) {
  const Heads heads(query, key, value, attn_mask, is_causal, scale);
  const Padded grad(grad_out), output(out);
  const Dense sums(logsumexp);
  const Padded to_query(grad_query, false), to_key(grad_key, true), to_value(grad_value, true);
  if (heads.count() > 0 && heads.queries > 0) {
    const BackwardPass pass{heads, grad, output, sums, to_query, to_key, to_value};
    heads.count() >= num_threads() ? pass.by_heads() : pass.by_blocks();
  }
  to_query.finish(grad_query);
  to_key.finish(grad_key);
  to_value.finish(grad_value);
}

}  // namespace opweave::cpu
