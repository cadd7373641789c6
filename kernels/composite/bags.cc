// embedding_bag: vectors of words, put together by bags, which lie one behind the other.
#include <algorithm>
#include <limits>

#include "opweave/kernels/composite/embedding_bag.h"
#include "opweave/ops/add.h"
#include "opweave/ops/aminmax.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/argmin.h"
#include "opweave/ops/bincount.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/cumsum.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/div.h"
#include "opweave/ops/embedding.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/index.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/item.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/masked_select.h"
#include "opweave/ops/max.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/new_full.h"
#include "opweave/ops/new_ones.h"
#include "opweave/ops/new_zeros.h"
#include "opweave/ops/repeat_interleave.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter_reduce.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/t.h"
#include "opweave/ops/take.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/weighted_reads.h"
#include "opweave/ops/where.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/widened.h"

namespace opweave::composite {
namespace {

enum Mode : int64_t { kSum = 0, kMean = 1, kMax = 2 };
constexpr double kNothing = -std::numeric_limits<double>::infinity();

int64_t whole(const Tensor& number) { return opweave::item(number).to_long(); }
int64_t at(const Tensor& vector, int64_t i) { return whole(opweave::select(vector, 0, i)); }
Tensor numbers_to(int64_t n, const Tensor& like) {
  return ops::arange::call(n, like.dtype(), {}, like.device(), {});
}

// The words of all bags, the factor of each, if there are any, and how many words each bag has.
struct Bags {
  Tensor words, factors, sizes;  // the last of int64
  int64_t longest = 0;           // no bag has more

  int64_t count() const { return sizes.numel(); }
  // A row for each bag takes little more memory than the words.
  bool are_alike() const { return count() * longest <= 4 * words.numel(); }
};

Tensor bag_of_each_word(const Bags& bags) {
  return ops::repeat_interleave_Tensor::call(bags.sizes, bags.words.numel());
}

// The same of all that a call has; what is in no bag counts to the last one.
Tensor bag_of_all(const Bags& bags, const Tensor& bag_of_word, int64_t words) {
  const int64_t left = words - bags.words.numel();
  if (left == 0) return bag_of_word;
  const Tensor parts[] = {bag_of_word,
                          opweave::new_full(bag_of_word, IntList{left}, bags.count() - 1)};
  return opweave::cat(parts, 0);
}

// From 0 on, never less than the one before, none beyond the end.
void check_offsets(const Tensor& offsets, const Tensor& sizes, int64_t length) {
  OW_CHECK(at(offsets, 0) == 0,
           "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
           "position 0. However, got ",
           at(offsets, 0));
  const int64_t count = offsets.numel(), last = at(offsets, count - 1);
  if (sizes.numel() != 0) {
    const int64_t least = whole(opweave::argmin(sizes));
    OW_CHECK(at(sizes, least) >= 0 || least + 1 == count,
             "embedding_bag: offsets must not fall, but offsets[", least + 1, "] is ",
             at(offsets, least + 1), " after ", at(offsets, least));
  }
  OW_CHECK(last <= length, "offsets[-1] can not be greater than input's length(", length,
           ") but got offsets[-1] of ", last);
}

// How many words follow each offset, up to the next one or the end.
Tensor sizes_between(const Tensor& offsets, int64_t length, bool include_last_offset) {
  const int64_t count = offsets.numel();
  const Tensor next = opweave::narrow(offsets, 0, 1, count - 1);
  if (include_last_offset) return opweave::sub(next, opweave::narrow(offsets, 0, 0, count - 1));
  const Tensor ends[] = {next, opweave::new_full(offsets, IntList{1}, length)};
  return opweave::sub(opweave::cat(ends, 0), offsets);
}

Tensor first_of(const Tensor& words, int64_t count) {
  return words.defined() ? opweave::narrow(opweave::reshape(words, IntList{-1}), 0, 0, count)
                         : words;
}

// What comes after the last offset is in no bag, if that is the end of one.
Bags bags_between(const Tensor& indices, const Tensor& factors, const Tensor& offsets,
                  bool include_last_offset) {
  const int64_t length = indices.numel();
  if (offsets.numel() == 0) return {first_of(indices, 0), first_of(factors, 0), offsets};
  const Tensor sizes = sizes_between(offsets, length, include_last_offset);
  check_offsets(offsets, sizes, length);
  const int64_t end = include_last_offset ? at(offsets, offsets.numel() - 1) : length;
  const int64_t longest =
      sizes.numel() == 0 ? 0 : whole(std::get<1>(opweave::aminmax(sizes, {}, false)));
  return {first_of(indices, end), first_of(factors, end), sizes, longest};
}

// Without a word that does not count, which may be counted from the end; `places` are the bags of
// all words, and then of those that are left.
void leave_out(Bags& bags, Tensor& places, int64_t word, int64_t words) {
  OW_CHECK(-words <= word && word < words, "padding_idx must be within the number of embeddings, ",
           -words, " through ", words - 1, ", but got ", word);
  const Tensor counts = opweave::ne(bags.words, word < 0 ? word + words : word);
  bags.words = opweave::masked_select(bags.words, counts);
  if (bags.factors.defined()) bags.factors = opweave::masked_select(bags.factors, counts);
  places = opweave::masked_select(places, counts);
  bags.sizes = opweave::bincount(places, {}, bags.count());
}

// --- sums ------------------------------------------------------------------------------------
// What the words of the bags have, in a column for each bag, and `nothing` below.
Tensor in_columns(const Tensor& values, const Bags& bags, const Scalar& nothing, int64_t height) {
  const int64_t count = bags.count(), n = values.numel();
  if (count * height == n)  // none is shorter
    return opweave::t(opweave::reshape(values, IntList{count, height}));
  const Tensor ends = opweave::cumsum(bags.sizes, 0);
  const Tensor rows = opweave::unsqueeze(numbers_to(height, ends), 1);
  const Tensor places = opweave::add(opweave::sub(ends, bags.sizes), rows);
  const Tensor parts[] = {values, opweave::new_full(values, IntList{1}, nothing)};
  return opweave::take(opweave::cat(parts, 0),
                       opweave::where(opweave::lt(places, ends), places, Scalar(n)));
}

// From how many words on copies of their vectors cost more than finding where these lie.
constexpr int64_t kMany = 2048;

bool can_be_read_where_they_lie(const Bags& bags, const Tensor& weight) {
  const bool wide = weight.dtype() == kFloat || weight.dtype() == kDouble;
  if (!wide || bags.words.numel() < kMany || bags.words.dtype() != kLong || !bags.are_alike())
    return false;
  const auto [least, greatest] = opweave::aminmax(bags.words, {}, false);
  return whole(least) >= 0 && whole(greatest) < weight.size(0);
}

// Of vectors of which no copy is made for every word.
Tensor sums_where_they_lie(const Bags& bags, const Tensor& weight) {
  const auto single = [](const Tensor& t) { return opweave::unsqueeze(t, 0); };
  const Tensor words = in_columns(bags.words, bags, -1, bags.longest);
  const Tensor factors = bags.factors.defined() ? in_columns(bags.factors, bags, 0, bags.longest)
                                                : opweave::new_ones(weight, words.sizes());
  const Tensor found =
      opweave::weighted_reads(single(single(weight)), single(words), single(factors));
  return opweave::reshape(found, IntList{bags.count(), weight.size(1)});
}

// In float32 of 16 bits, which are rounded once, at their end.
Tensor sums(const Bags& bags, const Tensor& places, const Tensor& weight, bool scale_grad_by_freq) {
  if (!scale_grad_by_freq && can_be_read_where_they_lie(bags, weight))
    return sums_where_they_lie(bags, weight);
  const ScalarType wide = rule::widened(weight.dtype());
  Tensor vectors =
      opweave::to(opweave::embedding(weight, bags.words, -1, scale_grad_by_freq, false), wide);
  if (bags.factors.defined())
    vectors = opweave::mul(vectors, opweave::unsqueeze(opweave::to(bags.factors, wide), 1));
  const Tensor none = opweave::new_zeros(vectors, IntList{bags.count(), weight.size(1)});
  const Tensor where = places.defined() ? places : bag_of_each_word(bags);
  return opweave::index_add(none, 0, where, vectors);
}

// --- maxima ----------------------------------------------------------------------------------
// For each bag and element the place of the word that has the greatest, the first of equal ones;
// the number of words in bags without any. Of bags of one size or nearly so.
Tensor greatest_of_rows(const Tensor& vectors, const Bags& bags) {
  const int64_t n = bags.words.numel(), longest = std::max<int64_t>(bags.longest, 1);
  const Tensor rows = opweave::t(in_columns(numbers_to(n, bags.sizes), bags, n, longest));
  const Tensor parts[] = {vectors,
                          opweave::new_full(vectors, IntList{1, vectors.size(1)}, kNothing)};
  const Tensor all = opweave::reshape(
      opweave::index_select(opweave::cat(parts, 0), 0, opweave::reshape(rows, IntList{-1})),
      IntList{bags.count(), longest, vectors.size(1)});
  return opweave::gather(rows, 1, std::get<1>(ops::max_dim::call(all, 1, false)));
}

// The same of bags of very different sizes, in no more memory than their words take.
Tensor greatest_of_words(const Tensor& vectors, const Bags& bags, const Tensor& bag_of_word) {
  const int64_t n = bags.words.numel();
  const DimVector shape{bags.count(), vectors.size(1)};
  const Tensor index = opweave::expand(opweave::unsqueeze(bag_of_word, 1), vectors.sizes());
  const Tensor greatest = ops::scatter_reduce_two::call(opweave::new_full(vectors, shape, kNothing),
                                                        0, index, vectors, "amax", true);
  const Tensor there = opweave::index_select(greatest, 0, bag_of_word);
  const Tensor both_nan = opweave::logical_and(opweave::isnan(vectors), opweave::isnan(there));
  const Tensor equal = opweave::logical_or(opweave::eq(vectors, there), both_nan);
  const Tensor places =
      opweave::where(equal, opweave::unsqueeze(numbers_to(n, bag_of_word), 1), Scalar(n));
  return ops::scatter_reduce_two::call(opweave::new_full(places, shape, n), 0, index, places,
                                       "amin", true);
}

// The vectors' greatest elements, and the words that have them; zeros for bags without words.
std::pair<Tensor, Tensor> maxima(const Bags& bags, const Tensor& bag_of_word, const Tensor& weight,
                                 bool scale_grad_by_freq) {
  const Tensor vectors = opweave::embedding(weight, bags.words, -1, scale_grad_by_freq, false);
  const Tensor elements = opweave::detach(vectors);
  const Tensor places = bags.are_alike() ? greatest_of_rows(elements, bags)
                                         : greatest_of_words(elements, bags, bag_of_word);
  const Tensor rows[] = {vectors, opweave::new_zeros(vectors, IntList{1, weight.size(1)})};
  const Tensor words[] = {bags.words, opweave::new_zeros(bags.words, IntList{1})};
  return {opweave::gather(opweave::cat(rows, 0), 0, places),
          opweave::take(opweave::cat(words, 0), places)};
}

// Of tensors without data, what the results look like.
std::tuple<Tensor, Tensor, Tensor, Tensor> without_data(const Tensor& weight, const Tensor& indices,
                                                        const Tensor& offsets, int64_t mode,
                                                        bool include_last_offset, bool plain) {
  const int64_t count = offsets.numel() - (include_last_offset ? 1 : 0), width = weight.size(1);
  const Tensor sizes = opweave::new_empty(offsets, IntList{mode == kSum ? offsets.numel() : count});
  const Tensor words = opweave::new_empty(offsets, IntList{plain ? 0 : indices.numel()});
  const Tensor largest =
      mode == kMax ? opweave::new_empty(offsets, IntList{count, width}) : opweave::clone(sizes);
  return {opweave::new_empty(weight, IntList{count, width}), words, sizes, largest};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool /*sparse*/, const Tensor& per_sample_weights, bool include_last_offset,
    std::optional<int64_t> padding_idx) {
  // PyTorch's own loops, which are for all but float64, need not know the bag of each word.
  const bool plain = mode == kSum && !padding_idx && weight.dtype() != kDouble;
  if (weight.is_meta())
    return without_data(weight, indices, offsets, mode, include_last_offset, plain);
  const auto told = [kind = promote_types(indices.dtype(), offsets.dtype())](const Tensor& t) {
    return opweave::to(t, kind);
  };
  Bags bags =
      bags_between(indices, per_sample_weights, opweave::to(offsets, kLong), include_last_offset);
  Tensor counted = plain ? Tensor() : bag_of_each_word(bags);
  const Tensor places = plain ? opweave::new_empty(bags.sizes, IntList{0})
                              : bag_of_all(bags, counted, indices.numel());
  if (padding_idx) leave_out(bags, counted, *padding_idx, weight.size(0));
  if (mode == kMax) {
    const auto [found, words] = maxima(bags, counted, weight, scale_grad_by_freq);
    return {found, told(places), told(bags.sizes), told(words)};
  }
  Tensor found = sums(bags, counted, weight, scale_grad_by_freq);
  if (mode == kMean) {
    const Tensor sizes = opweave::to(opweave::clamp_min(bags.sizes, 1), found.dtype());
    found = opweave::div(found, opweave::unsqueeze(sizes, 1));
  }
  found = opweave::to(found, weight.dtype());
  const Tensor sizes =
      mode == kSum ? opweave::new_zeros(bags.sizes, IntList{offsets.numel()}) : bags.sizes;
  return {found, told(places), told(sizes), opweave::clone(told(sizes))};
}

}  // namespace opweave::composite
