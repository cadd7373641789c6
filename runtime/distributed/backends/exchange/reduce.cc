// Shares and pieces.
#include "runtime/distributed/backends/exchange/reduce.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/backends/exchange/given.h"

namespace opweave::distributed::exchange {
namespace {

constexpr int kAll = -1;
// Of a part: large enough for a message, and small enough to stay in the cache.
constexpr size_t kPart = 512 * 1024;
constexpr size_t kUnderWay = 3;

ScalarType dtype_of(const Collective& c) {
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  return tensors.empty() ? ScalarType() : tensors[0].dtype();
}

char* at(const Tensor& t, size_t offset) { return static_cast<char*>(t.raw_data()) + offset; }

size_t divide_up(size_t n, size_t by) { return (n + by - 1) / by; }

// In which direction, beside tensor and step.
uint64_t step_of(uint64_t number, size_t step, bool result) {
  return mix(mix(number, step), result ? 1 : 0);
}

}  // namespace

struct Reducer::Step {
  size_t index = 0;
  char* others = nullptr;  // what they give of this rank's part, each at its rank; then the result
  std::vector<Message> parts, results, sent;
};

Reducer::Reducer(Transfer& transfer, Members members, Scratch& scratch, int divisor)
    : transfer_(transfer),
      members_(std::move(members)),
      rank_(members_.index),
      ranks_(members_.size()),
      divisor_(divisor),
      scratch_(scratch),
      dtype_(dtype_of(transfer.collective())),
      item_(element_size(dtype_)) {}

void Reducer::combine_in_order(char* result, char* mine, char* others, size_t stride,
                               int64_t count) {
  const ReduceOp op = transfer_.collective().op;
  const auto given = [&](int r) {
    return r == rank_ ? mine : others + static_cast<size_t>(r) * stride;
  };
  const char* sum = given(0);
  for (int r = 1; r < ranks_; ++r) {
    // What this rank gives is not overwritten before it is its turn.
    char* to = r >= rank_ ? result : others;
    combine(op, dtype_, to, sum, given(r), count);
    sum = to;
  }
  if (sum != result && count > 0) std::memcpy(result, sum, nbytes(count));
  if (divisor_ != 0) finish(op, dtype_, result, count, divisor_);
}

void Reducer::all_reduce(Elements whole, uint64_t number) { reduce(whole, kAll, number); }

void Reducer::reduce(Elements whole, int to, uint64_t number) {
  if (nbytes(whole.count) * static_cast<size_t>(ranks_) <= kFew)
    reduce_few(whole, to, number);
  else
    in_steps(whole, to, number);
}

void Reducer::in_steps(Elements whole, int to, uint64_t number) {
  const int64_t most = static_cast<int64_t>(kPart / item_) * ranks_;  // of a step
  Plan plan;
  plan.steps = divide_up(static_cast<size_t>(whole.count), static_cast<size_t>(most));
  plan.part = [&](int r, size_t step) {
    const int64_t begin = static_cast<int64_t>(step) * most;
    return share_of({whole.data + nbytes(begin), std::min(most, whole.count - begin)}, r);
  };
  plan.to_all = to == kAll;
  plan.to = to;
  plan.result = [&](size_t step) {
    return needs_results(plan, rank_) ? plan.part(rank_, step).data : nullptr;
  };
  run(plan, number);
}

Elements Reducer::share_of(Elements whole, int member) const {
  const int64_t from = whole.count * member / ranks_, to = whole.count * (member + 1) / ranks_;
  return {whole.data + nbytes(from), to - from};
}

void Reducer::reduce_share(Elements whole, uint64_t number) {
  const int64_t most = static_cast<int64_t>(kPart / item_), largest = whole.count / ranks_ + 1;
  Plan plan;
  plan.steps = divide_up(static_cast<size_t>(largest), static_cast<size_t>(most));
  plan.part = [&](int r, size_t step) {
    const Elements share = share_of(whole, r);
    const int64_t begin = std::min(static_cast<int64_t>(step) * most, share.count);
    return Elements{share.data + nbytes(begin), std::min(most, share.count - begin)};
  };
  plan.result = [&](size_t step) { return plan.part(rank_, step).data; };
  run(plan, number);
}

void Reducer::reduce_few(Elements whole, int only, uint64_t number) {
  const size_t size = nbytes(whole.count), stride = Scratch::in_lines(size);
  char* const others = scratch_.of(stride * static_cast<size_t>(ranks_));
  // The result goes where it was, and may do so before it has been sent to all.
  char* const mine = others + static_cast<size_t>(rank_) * stride;
  if (size > 0) std::memcpy(mine, whole.data, size);
  std::vector<Message> parts, sent;
  const bool gets = only == kAll || rank_ == only;
  for (int i = 1; i < ranks_; ++i) {
    const int from = (rank_ - i + ranks_) % ranks_;
    if (gets)
      parts.push_back(receive(from, number, others + static_cast<size_t>(from) * stride, size));
  }
  for (int i = 1; i < ranks_; ++i) {
    const int to = (rank_ + i) % ranks_;
    if (only == kAll || to == only) sent.push_back(send(to, number, mine, size));
  }
  transfer_.wait(parts);
  if (gets) combine_in_order(whole.data, mine, others, stride, whole.count);
  transfer_.wait(sent);
}

void Reducer::reduce_scatter() {
  const Collective& c = transfer_.collective();
  const int64_t most = static_cast<int64_t>(kPart / item_);
  Plan plan;
  for (const Tensor& t : c.inputs)
    plan.steps =
        std::max(plan.steps, divide_up(static_cast<size_t>(t.numel()), static_cast<size_t>(most)));
  Given given(c, rank_);
  plan.part = [&](int r, size_t step) {
    const std::span<char> all = *given.to(r);
    const auto count = static_cast<int64_t>(all.size() / item_);
    const int64_t begin = std::min(static_cast<int64_t>(step) * most, count);
    return Elements{all.data() + nbytes(begin), std::min(most, count - begin)};
  };
  plan.result = [&](size_t step) {
    return at(c.outputs[0], std::min(step * nbytes(most), c.outputs[0].nbytes()));
  };
  run(plan, 0);
}

void Reducer::run(const Plan& plan, uint64_t number) {
  const size_t room = (static_cast<size_t>(ranks_) + 1) * kPart;
  char* const memory = scratch_.of(room * kUnderWay);
  std::array<Step, kUnderWay> steps;
  const auto step = [&](size_t i) -> Step& { return steps[i % kUnderWay]; };
  for (size_t i = 0; i < plan.steps + kUnderWay - 1; ++i) {
    if (i < plan.steps) {
      step(i).index = i, step(i).others = memory + i % kUnderWay * room;
      open(plan, step(i), number);
    }
    // The others have had time to send theirs, and to combine what they got before.
    if (i + 2 >= kUnderWay && i + 2 - kUnderWay < plan.steps)
      combine_parts(plan, step(i + 2 - kUnderWay), number);
    if (i + 1 < kUnderWay) continue;
    transfer_.wait(step(i + 1 - kUnderWay).results);
    transfer_.wait(step(i + 1 - kUnderWay).sent);
  }
}

// A rank's result comes into the part that it was given: only after it has got that part itself.
void Reducer::open(const Plan& plan, Step& step, uint64_t number) {
  const size_t own = nbytes(plan.part(rank_, step.index).count);
  for (int i = 1; i < ranks_; ++i) {
    const int from = (rank_ - i + ranks_) % ranks_;
    const Elements theirs = plan.part(from, step.index);
    step.parts.push_back(receive(from, step_of(number, step.index, false),
                                 step.others + static_cast<size_t>(from) * kPart, own));
    if (needs_results(plan, rank_))
      step.results.push_back(
          receive(from, step_of(number, step.index, true), theirs.data, nbytes(theirs.count)));
  }
  for (int i = 1; i < ranks_; ++i) {
    const int to = (rank_ + i) % ranks_;
    const Elements theirs = plan.part(to, step.index);
    step.sent.push_back(
        send(to, step_of(number, step.index, false), theirs.data, nbytes(theirs.count)));
  }
}

void Reducer::combine_parts(const Plan& plan, Step& step, uint64_t number) {
  const Elements own = plan.part(rank_, step.index);
  char* result = plan.result(step.index);
  if (result == nullptr) result = step.others + static_cast<size_t>(ranks_) * kPart;
  transfer_.wait(step.parts);
  combine_in_order(result, own.data, step.others, kPart, own.count);
  for (int i = 1; i < ranks_; ++i) {
    const int to = (rank_ + i) % ranks_;
    if (needs_results(plan, to))
      step.sent.push_back(send(to, step_of(number, step.index, true), result, nbytes(own.count)));
  }
}

}  // namespace opweave::distributed::exchange
