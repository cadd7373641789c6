// Blocks of attention. Scores lie as (keys, queries), so that a vector holds one score of each of
// several queries: the softmax runs from row to row, without sums over lanes, and every product
// reads keys, values and gradients as they lie.
#include "kernels/cpu/attention/attention_kernel.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention/attention_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/attention/attention_products-inl.h"
#include "kernels/cpu/pointwise/float_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

template <class C>
class AttentionBlocks {
 public:
  static int64_t room(const AttentionHead& head, int64_t queries) {
    const AttentionBlocks blocks(head, queries);
    const int64_t scores = kScoreRows * blocks.stride_;
    return blocks.stride_ * (head.width + 2 * head.value_width + 3) + 3 * scores +
           queries * std::max(head.width, head.value_width);
  }

  static void forward(const AttentionHead& head, AttentionRange queries, AttentionRows out,
                      void* logsumexp, void* room) {
    AttentionBlocks blocks(head, queries.to - queries.from);
    blocks.make_room(static_cast<C*>(room));
    blocks.attend(queries.from, rows_of(out), static_cast<C*>(logsumexp));
  }

  static void backward(const AttentionHead& head, const AttentionGradients& gradients,
                       AttentionRange queries, AttentionRange keys, int64_t block, void* room) {
    for (int64_t from = queries.from; from < queries.to; from += block) {
      AttentionBlocks blocks(head, std::min(block, queries.to - from));
      blocks.make_room(static_cast<C*>(room));
      blocks.differentiate(from, keys, gradients);
    }
  }

 private:
  using P = BlockProducts<C>;
  using D = typename P::D;
  using V = typename P::V;
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();
  // Rows after the last one that is computed are zero, because products read whole tiles of rows.
  static constexpr int64_t kScoreRows = kAttentionKeys + P::kRows;

  static Rows<C> rows_of(const AttentionRows& rows) {
    return {static_cast<C*>(rows.data), rows.stride};
  }
  static Rows<const C> read(const AttentionRows& rows, int64_t from) {
    return {static_cast<const C*>(rows.data) + from * rows.stride, rows.stride};
  }

  AttentionBlocks(const AttentionHead& head, int64_t count) : head_(head), count_(count) {
    const int64_t n = P::lanes();
    vectors_ = (count + n - 1) / n;
    stride_ =
        (vectors_ | 1) * n;  // odd: rows at powers of two would share a few lines of the cache
  }

  void make_room(C* room) {
    const auto take = [&](int64_t elements) {
      C* taken = room;
      room += elements;
      return taken;
    };
    queries_ = {take(stride_ * head_.width), stride_};
    gradients_ = {take(stride_ * head_.value_width), stride_};
    outputs_ = {take(stride_ * head_.value_width), stride_};
    scores_ = {take(kScoreRows * stride_), stride_};
    slopes_ = {take(kScoreRows * stride_), stride_};
    mask_ = {take(kScoreRows * stride_), stride_};
    largest_ = take(stride_);
    sums_ = take(stride_);
    factors_ = take(stride_);
    sum_ = {take(count_ * std::max(head_.width, head_.value_width)), 0};
  }

  // The keys of a block that begins at `key`, of those up to `end`, that a vector of queries
  // beginning at `query` attends to, and to which all of its lanes do.
  int64_t keys_of(int64_t query, int64_t key, int64_t count) const {
    return head_.causal ? std::clamp<int64_t>(query + P::lanes() - key, 0, count) : count;
  }
  int64_t whole_keys_of(int64_t query, int64_t key, int64_t count) const {
    return head_.causal ? std::clamp<int64_t>(query + 1 - key, 0, count) : count;
  }

  // Calls body(at, width) for each panel of the block's queries.
  template <class Body>
  HWY_INLINE void for_panels(Body&& body) const {
    const int64_t panel = P::kVectors * P::lanes(), columns = vectors_ * P::lanes();
    for (int64_t at = 0; at < columns; at += panel) body(at, std::min(panel, columns - at));
  }

  // rows (keys, width) times columns (width, queries), for the pairs of a panel.
  void products(const AttentionRows& rows, Rows<const C> columns, int64_t width, int64_t last,
                int64_t key, int64_t count, int64_t at, int64_t wide, Rows<C> to) const {
    const Rows<const C> left = read(rows, key);
    P::panel_of(wide, {left.data, left.stride, 1}, {columns.at(0, at), columns.stride}, width,
                {to.at(0, at), to.stride}, keys_of(last, key, count), {}, false);
  }

  // Which keys queries of a block have as terms, and the other way round.
  Terms terms_of_queries(int64_t query, int64_t key) const {
    return head_.causal ? Terms{-Terms::kNone, query + 1 - key} : Terms{};
  }
  Terms terms_of_keys(int64_t query, int64_t key) const {
    return head_.causal ? Terms{key - query, Terms::kNone} : Terms{};
  }

  void pack_mask(int64_t query, int64_t key, int64_t count) {
    const AttentionMask& mask = head_.mask;
    if (mask.data == nullptr || mask.query_stride == 0) return;
    const C* from = static_cast<const C*>(mask.data) + query * mask.query_stride;
    P::transpose({from + key * mask.key_stride, mask.query_stride}, mask.key_stride, count_, count,
                 C(1), mask_);
  }

  HWY_INLINE V masked(V score, int64_t key, int64_t row, int64_t vector) const {
    const D d;
    const AttentionMask& mask = head_.mask;
    if (mask.data == nullptr) return score;
    const V added =
        mask.query_stride == 0
            ? hn::Set(d, static_cast<const C*>(mask.data)[(key + row) * mask.key_stride])
            : hn::LoadU(d, mask_.at(row, vector));
    const V sum = hn::Add(score, added);
    if (!mask.replaces) return sum;
    return hn::IfThenElse(hn::Eq(added, hn::Set(d, kLowest)), added, sum);
  }

  // Scores of one vector of queries with their mask; those that are not attended to are -inf.
  void finish_scores(int64_t query, int64_t key, int64_t at, int64_t count, int64_t whole) const {
    const D d;
    if (head_.mask.data != nullptr) {
      for (int64_t row = 0; row < count; ++row) {
        C* score = scores_.at(row, at);
        hn::StoreU(masked(hn::LoadU(d, score), key, row, at), d, score);
      }
    }
    for (int64_t row = whole; row < count; ++row) {
      C* score = scores_.at(row, at);
      const auto later = hn::FirstN(d, static_cast<size_t>(key + row - query));
      hn::StoreU(hn::IfThenElse(later, hn::Set(d, kLowest), hn::LoadU(d, score)), d, score);
    }
  }

  void clear_after(Rows<C> rows, int64_t at, int64_t count) const {
    for (int64_t row = count; row < count + P::kRows; ++row) {
      hn::StoreU(hn::Zero(D()), D(), rows.at(row, at));
    }
  }

  HWY_INLINE V largest_of(int64_t at, int64_t count, V largest) const {
    const D d;
    V a = largest, b = largest, c = largest, e = largest;
    const Rows<C> scores{scores_.at(0, at), stride_};
    int64_t row = 0;
    for (; row + 4 <= count; row += 4) {
      a = hn::Max(hn::LoadU(d, scores.at(row)), a);
      b = hn::Max(hn::LoadU(d, scores.at(row + 1)), b);
      c = hn::Max(hn::LoadU(d, scores.at(row + 2)), c);
      e = hn::Max(hn::LoadU(d, scores.at(row + 3)), e);
    }
    for (; row < count; ++row) a = hn::Max(hn::LoadU(d, scores.at(row)), a);
    return hn::Max(hn::Max(a, b), hn::Max(c, e));
  }

  // What is subtracted from scores: 0 where there is none but -inf.
  static HWY_INLINE V shift_of(V largest) {
    const D d;
    return hn::IfThenElse(hn::Eq(largest, hn::Set(d, kLowest)), hn::Zero(d), largest);
  }

  // Scores of a panel to weights, not yet divided by their sum. Whether former sums have to be
  // scaled.
  bool soften(int64_t query, int64_t key, int64_t count, int64_t from, int64_t to) const {
    const D d;
    const int64_t n = P::lanes();
    bool scaled = false;
    for (int64_t at = from; at < to; at += n) {
      const int64_t rows = keys_of(query + at, key, count);
      finish_scores(query + at, key, at, rows, whole_keys_of(query + at, key, count));
      const V before = hn::LoadU(d, largest_ + at), largest = largest_of(at, rows, before);
      const V shift = shift_of(largest);
      V sum = hn::Zero(d);
      C* score = scores_.at(0, at);
      for (int64_t row = 0, step = stride_; row < rows; ++row, score += step) {
        const V weight = floating::exp(hn::Sub(hn::LoadU(d, score), shift));
        sum = hn::Add(sum, weight);
        hn::StoreU(weight, d, score);
      }
      clear_after(scores_, at, rows);
      const V factor = floating::exp(hn::Sub(before, shift));
      scaled = scaled || !hn::AllTrue(d, hn::Eq(before, largest));
      hn::StoreU(factor, d, factors_ + at);
      hn::StoreU(largest, d, largest_ + at);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, sums_ + at), factor, sum), d, sums_ + at);
    }
    return scaled;
  }

  // Rows of `sum_` times one number each. In place most are 1: few blocks have a larger score.
  void scale_rows(Rows<C> to) const {
    const D d;
    const int64_t n = P::lanes(), width = sum_.stride;
    for (int64_t row = 0; row < count_; ++row) {
      if (to.data == sum_.data && factors_[row] == C(1)) continue;
      const V factor = hn::Set(d, factors_[row]);
      const C* from = sum_.at(row);
      C* out = to.at(row);
      for (int64_t c = 0; c < width; c += n) {
        hn::StoreU(hn::Mul(hn::LoadU(d, from + c), factor), d, out + c);
      }
    }
  }

  // A panel at a time, while it is in the first cache.
  bool weigh(int64_t query, int64_t key, int64_t count) const {
    bool scaled = false;
    for_panels([&](int64_t at, int64_t wide) {
      const int64_t last = query + at + wide - P::lanes();  // where the last vector begins
      products(head_.key, {queries_.data, stride_}, head_.width, last, key, count, at, wide,
               scores_);
      scaled = soften(query, key, count, at, at + wide) || scaled;
    });
    return scaled;
  }

  void weigh_backward(int64_t query, int64_t key, int64_t count) const {
    for_panels([&](int64_t at, int64_t wide) {
      const int64_t last = query + at + wide - P::lanes();
      products(head_.key, {queries_.data, stride_}, head_.width, last, key, count, at, wide,
               scores_);
      products(head_.value, {gradients_.data, stride_}, head_.value_width, last, key, count, at,
               wide, slopes_);
      soften_backward(query, key, count, at, at + wide);
    });
  }

  void attend(int64_t query, Rows<C> out, C* logsumexp) {
    sum_.stride = head_.value_width;
    P::transpose(read(head_.query, query), 1, count_, head_.width, static_cast<C>(head_.scale),
                 queries_);
    std::fill(largest_, largest_ + stride_, kLowest);
    std::fill(sums_, sums_ + stride_, C(0));
    const int64_t end = head_.causal ? std::min(head_.keys, query + count_) : head_.keys;
    for (int64_t key = 0; key < end; key += kAttentionKeys) {
      const int64_t count = std::min(kAttentionKeys, end - key);
      pack_mask(query, key, count);
      if (weigh(query, key, count) && key > 0) scale_rows(sum_);
      P::product({scores_.data, 1, stride_}, read(head_.value, key), count, sum_, count_,
                 head_.value_width, terms_of_queries(query, key), key > 0);
    }
    if (end <= 0) std::fill(sum_.data, sum_.data + count_ * sum_.stride, C(0));
    finish(query, out, logsumexp);
  }

  void finish(int64_t query, Rows<C> out, C* logsumexp) const {
    const D d;
    const int64_t n = P::lanes();
    for (int64_t at = 0; at < vectors_ * n; at += n) {
      const V sum = hn::LoadU(d, sums_ + at), one = hn::Set(d, C(1));
      const auto nothing = hn::Eq(sum, hn::Zero(d));
      const V safe = hn::IfThenElse(nothing, one, sum);
      const V total = hn::Add(shift_of(hn::LoadU(d, largest_ + at)), floating::log(safe));
      hn::StoreU(hn::Div(one, safe), d, factors_ + at);
      hn::StoreU(total, d, largest_ + at);
    }
    scale_rows({out.at(query), out.stride});
    std::copy(largest_, largest_ + count_, logsumexp + query);
  }

  // The gradient of each output times the output. In the order of the products of gradient and
  // value: where one key has all the weight, the difference is 0.
  void sum_products(Rows<const C> output) {
    const D d;
    const int64_t n = P::lanes();
    P::transpose(output, 1, count_, head_.value_width, C(1), outputs_);
    for (int64_t at = 0; at < vectors_ * n; at += n) {
      V sum = hn::Zero(d);
      for (int64_t c = 0; c < head_.value_width; ++c) {
        const V value = hn::LoadU(d, outputs_.at(c, at));
        sum = hn::MulAdd(value, hn::LoadU(d, gradients_.at(c, at)), sum);
      }
      hn::StoreU(sum, d, sums_ + at);
    }
  }

  // Scores and products of gradient and value to weights and gradients of scores.
  void soften_backward(int64_t query, int64_t key, int64_t count, int64_t from, int64_t to) const {
    const D d;
    const int64_t n = P::lanes();
    for (int64_t at = from; at < to; at += n) {
      const int64_t rows = keys_of(query + at, key, count);
      finish_scores(query + at, key, at, rows, whole_keys_of(query + at, key, count));
      const V shift = hn::LoadU(d, largest_ + at), mean = hn::LoadU(d, sums_ + at);
      C *score = scores_.at(0, at), *slope = slopes_.at(0, at);
      for (int64_t row = 0, step = stride_; row < rows; ++row, score += step, slope += step) {
        const V weight = floating::exp(hn::Sub(hn::LoadU(d, score), shift));
        const V product = hn::Mul(weight, hn::Sub(hn::LoadU(d, slope), mean));
        hn::StoreU(weight, d, score);
        hn::StoreU(product, d, slope);
      }
      clear_after(scores_, at, rows);
      clear_after(slopes_, at, rows);
    }
  }

  void differentiate(int64_t query, AttentionRange keys, const AttentionGradients& g) {
    sum_.stride = head_.width;
    const Rows<const C> grad = read(g.grad, query);
    P::transpose(read(head_.query, query), 1, count_, head_.width, static_cast<C>(head_.scale),
                 queries_);
    // Gradients of scores are wanted times the scale: hence so are those of outputs.
    P::transpose(grad, 1, count_, head_.value_width, static_cast<C>(head_.scale), gradients_);
    sum_products(read(g.output, query));
    const C* logsumexp = static_cast<const C*>(g.logsumexp) + query;
    std::copy(logsumexp, logsumexp + count_, largest_);
    // Lanes without a query have no weights.
    std::fill(largest_ + count_, largest_ + stride_, -kLowest);
    const int64_t end = head_.causal ? std::min(keys.to, query + count_) : keys.to;
    for (int64_t key = keys.from; key < end; key += kAttentionKeys) {
      const int64_t count = std::min(kAttentionKeys, end - key);
      pack_mask(query, key, count);
      weigh_backward(query, key, count);
      add_block(query, key, count, key > keys.from, g);
    }
    if (g.query.data == nullptr) return;
    if (end <= keys.from) std::fill(sum_.data, sum_.data + count_ * sum_.stride, C(0));
    const Rows<C> to = rows_of(g.query);
    for (int64_t row = 0; row < count_; ++row) {
      std::copy(sum_.at(row), sum_.at(row) + sum_.stride, to.at(query + row));
    }
  }

  // What one block gives to the gradients.
  void add_block(int64_t query, int64_t key, int64_t count, bool add, const AttentionGradients& g) {
    const Rows<const C> queries = read(head_.query, query), grad = read(g.grad, query);
    const Terms of_keys = terms_of_keys(query, key);
    if (g.value.data != nullptr) {
      const Rows<C> to = rows_of(g.value);
      P::product({scores_.data, stride_, 1}, grad, count_, {to.at(key), to.stride}, count,
                 head_.value_width, of_keys, true);
    }
    if (g.key.data != nullptr) {
      const Rows<C> to = rows_of(g.key);
      P::product({slopes_.data, stride_, 1}, queries, count_, {to.at(key), to.stride}, count,
                 head_.width, of_keys, true);
    }
    if (g.query.data != nullptr) {
      P::product({slopes_.data, 1, stride_}, read(head_.key, key), count, sum_, count_, head_.width,
                 terms_of_queries(query, key), add);
    }
  }

  const AttentionHead& head_;
  int64_t count_, vectors_, stride_;
  Rows<C> queries_{}, gradients_{}, outputs_{};  // transposed; the first two are scaled
  Rows<C> scores_{}, slopes_{}, mask_{};
  Rows<C> sum_{};  // of a row for each query
  C *largest_ = nullptr, *sums_ = nullptr, *factors_ = nullptr;
};

template <class C>
AttentionKernel attention_of() {
  using Blocks = AttentionBlocks<C>;
  return {&Blocks::room, &Blocks::forward, &Blocks::backward};
}

AttentionKernel choose_attention(ScalarType dtype) {
  return dtype == kFloat ? attention_of<float>() : attention_of<double>();
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_attention);
AttentionKernel attention_kernel(ScalarType dtype) {
  return HWY_DYNAMIC_DISPATCH(choose_attention)(dtype);
}
}  // namespace opweave::cpu
#endif
