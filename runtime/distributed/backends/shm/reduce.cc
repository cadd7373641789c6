// all_reduce and reduce, of few bytes at once and of many in steps.
#include <algorithm>
#include <cstring>

#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/backends/shm/copy.h"
#include "runtime/distributed/backends/shm/exchange.h"

namespace opweave::distributed::shm {
namespace {

// Up to so many bytes every rank reads all that the others give: one meeting less.
constexpr size_t kFew = 32 * 1024;

}  // namespace

// Of a tensor that is combined in steps, in each of which every rank combines a share for all. A
// block has a part for each share; in its own a rank leaves what all shares of it come to.
struct Exchange::Shares {
  Shares(const Tensor& whole, size_t part, int count)
      : tensor(whole),
        item(element_size(whole.dtype())),
        ranks(count),
        most(static_cast<int64_t>(part / item) * count),
        steps((whole.numel() + most - 1) / most) {}

  struct Share {
    char* data;
    int64_t count;
    size_t nbytes;
  };
  Share share(int64_t step, int rank) const {
    const int64_t done = step * most, n = std::min(most, tensor.numel() - done);
    const int64_t from = n * rank / ranks, count = n * (rank + 1) / ranks - from;
    return {at(tensor, static_cast<size_t>(done + from) * item), count,
            static_cast<size_t>(count) * item};
  }

  const Tensor& tensor;
  const size_t item;
  const int ranks;
  const int64_t most, steps;  // elements of a step
};

void Exchange::reduce(Run& call, bool everywhere) {
  if (ranks_ == 1) return;
  const bool gets = everywhere || rank_ == call.collective.root;
  for (const Tensor& t : call.collective.outputs) {
    if (t.nbytes() == 0) continue;
    if (t.nbytes() <= kFew)
      reduce_few(call, t, gets);
    else if (const auto sources = everywhere ? meet_to_offer(call, t) : std::nullopt)
      all_reduce_directly(call, t, *sources);
    else
      reduce_in_shares(call, t, gets);
  }
}

// All ranks combine in the order of ranks: their results are equal to the bit.
void Exchange::reduce_few(Run& call, const Tensor& t, bool gets) {
  const Collective& c = call.collective;
  std::memcpy(block(rank_), t.raw_data(), t.nbytes());
  meet(call);
  if (gets) {
    char* out = at(t, 0);
    combine(c.op, t.dtype(), out, block(0), block(1), t.numel());
    for (int r = 2; r < ranks_; ++r) combine(c.op, t.dtype(), out, out, block(r), t.numel());
    finish(c.op, t.dtype(), out, t.numel(), ranks_);
  }
  next_block();
}

// Between two meetings a rank combines its share of a step, reads the others' results of the step
// before, and gives what they need for the next. What it gives for the next goes where that of the
// step before was, which all have read; the results of the step before, which are still read, lie
// in the part between.
void Exchange::reduce_in_shares(Run& call, const Tensor& t, bool gets) {
  const Shares shares(t, part(), ranks_);
  give_shares(shares, 0, turn_);
  for (int64_t step = 0; step <= shares.steps; ++step) {
    meet(call);
    if (step < shares.steps) combine_share(call, shares, step, gets);
    if (step > 0 && gets) take_shares(shares, step - 1, 1 - turn_);
    if (step + 1 < shares.steps) give_shares(shares, step + 1, 1 - turn_);
    if (step < shares.steps) next_block();
  }
}

void Exchange::give_shares(const Shares& shares, int64_t step, int turn) {
  for (int i = 1; i < ranks_; ++i) {
    const int r = (rank_ + i) % ranks_;
    const auto [data, count, nbytes] = shares.share(step, r);
    std::memcpy(part_of(rank_, turn, r), data, nbytes);
  }
}

void Exchange::combine_share(Run& call, const Shares& shares, int64_t step, bool gets) {
  const ReduceOp op = call.collective.op;
  const ScalarType dtype = shares.tensor.dtype();
  const auto [mine, count, nbytes] = shares.share(step, rank_);
  char* const sum = part_of(rank_, turn_, rank_);
  const auto given = [&](int r) { return r == rank_ ? mine : part_of(r, turn_, rank_); };
  combine(op, dtype, sum, given(0), given(1), count);
  for (int r = 2; r < ranks_; ++r) combine(op, dtype, sum, sum, given(r), count);
  finish(op, dtype, sum, count, ranks_);
  if (gets) std::memcpy(mine, sum, nbytes);
}

void Exchange::take_shares(const Shares& shares, int64_t step, int turn) {
  const bool streams = shares.tensor.nbytes() >= kLarge;
  for (int i = 1; i < ranks_; ++i) {
    const int r = (rank_ + i) % ranks_;
    const auto [data, count, nbytes] = shares.share(step, r);
    copy(data, part_of(r, turn, r), nbytes, streams);
  }
}

}  // namespace opweave::distributed::shm
