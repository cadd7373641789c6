// Collectives as fill, meet and read.
#include "runtime/distributed/backends/shm/exchange.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/str.h"
#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {
namespace {

constexpr size_t kBlock = Layout::kBlock;
// Up to so many bytes every rank reads all that the others give: one meeting instead of two.
constexpr size_t kFew = 32 * 1024;

char* at(const Tensor& t, size_t offset) { return static_cast<char*>(t.raw_data()) + offset; }

// How many of a tensor's bytes, from `offset` on, go into a piece of `room`.
size_t piece(const Tensor& t, size_t offset, size_t room) {
  return offset >= t.nbytes() ? 0 : std::min(room, t.nbytes() - offset);
}

void copy_piece(char* to, const Tensor& t, size_t offset, size_t room) {
  if (const size_t n = piece(t, offset, room); n > 0) std::memcpy(to, at(t, offset), n);
}

void read_piece(const Tensor& t, size_t offset, size_t room, const char* from) {
  if (const size_t n = piece(t, offset, room); n > 0) std::memcpy(at(t, offset), from, n);
}

}  // namespace

struct Exchange::Run {
  const Collective& collective;
  const Deadline& deadline;
  bool compared = false;

  ScalarType dtype() const {
    return (collective.inputs.empty() ? collective.outputs : collective.inputs)[0].dtype();
  }
};

Exchange::Exchange(Layout layout, int rank, int ranks)
    : layout_(layout), meeting_(layout, rank, ranks), rank_(rank), ranks_(ranks) {
  for (int turn = 0; turn < 2; ++turn) {
    for (int r = 0; r < ranks; ++r)
      said_[turn].push_back(
          {&layout.rank(r).calls[turn], layout.given(r, turn), layout.taken(r, turn)});
  }
}

void Exchange::announce(const Collective& collective) {
  layout_.rank(rank_).calls[turn_] = call_of(collective);
  write_sizes(collective, ranks_, layout_.given(rank_, turn_), layout_.taken(rank_, turn_));
}

void Exchange::compare(int turn, const Collective& collective) const {
  const std::string why = unlike(said_[turn]);
  if (!why.empty()) throw DistBackendError(str(describe_call(collective), ": ", why));
}

void Exchange::run(const Collective& collective, const Deadline& deadline) {
  Run call{collective, deadline};
  meeting_.check(collective);
  announce(collective);
  switch (collective.kind) {
    case CollectiveKind::kBroadcast:
      broadcast(call);
      break;
    case CollectiveKind::kAllReduce:
      reduce(call, /*everywhere=*/true);
      break;
    case CollectiveKind::kReduce:
      reduce(call, /*everywhere=*/false);
      break;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kGather:
      gather(call);
      break;
    case CollectiveKind::kScatter:
    case CollectiveKind::kAllToAll:
      scatter(call);
      break;
    case CollectiveKind::kReduceScatter:
      reduce_scatter(call);
      break;
    default:
      break;
  }
  if (!call.compared) {  // nothing to exchange: still all come, and say what they were called for
    meet(call);
    next_block();
  }
}

void Exchange::meet(Run& call) {
  meeting_.come(call.deadline, call.collective);
  if (call.compared) return;
  call.compared = true;
  const int turn = turn_;
  turn_ = 1 - turn;  // also where they called different things: all ranks go on alike
  compare(turn, call.collective);
  turn_ = turn;
}

void Exchange::broadcast(Run& call) {
  const bool gives = rank_ == call.collective.root;
  for (const Tensor& t : call.collective.outputs) {
    for (size_t done = 0; done < t.nbytes(); done += kBlock, next_block()) {
      const size_t n = piece(t, done, kBlock);
      if (gives) std::memcpy(block(rank_), at(t, done), n);
      meet(call);
      if (!gives) std::memcpy(at(t, done), block(call.collective.root), n);
    }
  }
}

void Exchange::reduce(Run& call, bool everywhere) {
  const size_t item = call.dtype() == ScalarType() ? 1 : element_size(call.dtype());
  const size_t most = kBlock / item * item;
  for (const Tensor& t : call.collective.outputs) {
    for (size_t done = 0; done < t.nbytes(); done += most, next_block()) {
      const size_t n = piece(t, done, most);
      std::memcpy(block(rank_), at(t, done), n);
      meet(call);
      reduce_block(call, at(t, done), static_cast<int64_t>(n / item), everywhere);
    }
  }
}

// All ranks combine in the order of ranks: their results are equal to the bit.
void Exchange::reduce_block(Run& call, char* out, int64_t count, bool everywhere) {
  const Collective& c = call.collective;
  const ScalarType dtype = call.dtype();
  const size_t nbytes = static_cast<size_t>(count) * element_size(dtype);
  if (everywhere && ranks_ > 2 && nbytes > kFew) return reduce_in_shares(call, out, count);
  if (!everywhere && rank_ != c.root) return;
  // Of two ranks each has its own at hand.
  const char* first = ranks_ == 2 && rank_ == 0 ? out : block(0);
  if (ranks_ == 1) return;
  combine(c.op, dtype, out, first, ranks_ == 2 && rank_ == 1 ? out : block(1), count);
  for (int r = 2; r < ranks_; ++r) combine(c.op, dtype, out, out, block(r), count);
  finish(c.op, dtype, out, count, ranks_);
}

// Each rank combines a share of the block and leaves it where only it has read; then all read all
// shares.
void Exchange::reduce_in_shares(Run& call, char* out, int64_t count) {
  const Collective& c = call.collective;
  const ScalarType dtype = call.dtype();
  const size_t item = element_size(dtype);
  const auto begin = [&](int r) { return static_cast<size_t>(count * r / ranks_) * item; };
  const size_t mine = begin(rank_);
  const auto length = static_cast<int64_t>((begin(rank_ + 1) - mine) / item);
  char* share = block(rank_) + mine;
  // In the order of ranks, whose first two are combined where the result goes.
  char* sum = out + mine;
  combine(c.op, dtype, sum, block(0) + mine, block(1) + mine, length);
  for (int r = 2; r < ranks_; ++r) combine(c.op, dtype, sum, sum, block(r) + mine, length);
  finish(c.op, dtype, sum, length, ranks_);
  std::memcpy(share, sum, static_cast<size_t>(length) * item);
  meet(call);
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_) std::memcpy(out + begin(r), block(r) + begin(r), begin(r + 1) - begin(r));
  }
}

size_t Exchange::most_given() const {
  size_t most = 0;
  for (int r = 0; r < ranks_; ++r) {
    for (int to = 0; to < ranks_; ++to) most = std::max<size_t>(most, layout_.given(r, turn_)[to]);
  }
  return most;
}

template <class Fill, class Read>
void Exchange::in_rounds(Run& call, size_t step, Fill fill, Read read) {
  size_t most = 0;  // known after the first meeting, when all have said what they give
  for (size_t done = 0; done == 0 || done < most; done += step, next_block()) {
    fill(done);
    const bool first = !call.compared;
    meet(call);
    if (first) most = most_given();
    read(done);
  }
}

// all_gather and gather: who has outputs reads them.
void Exchange::gather(Run& call) {
  const Tensor& in = call.collective.inputs[0];
  const auto& outputs = call.collective.outputs;
  const auto fill = [&](size_t done) { copy_piece(block(rank_), in, done, kBlock); };
  in_rounds(call, kBlock, fill, [&](size_t done) {
    for (size_t r = 0; r < outputs.size(); ++r)
      read_piece(outputs[r], done, kBlock, block(static_cast<int>(r)));
  });
}

// A block has a part for each rank.
size_t Exchange::part() const { return kBlock / static_cast<size_t>(ranks_) / kLine * kLine; }

void Exchange::fill_parts(const std::vector<Tensor>& inputs, size_t done) {
  for (size_t r = 0; r < inputs.size(); ++r)
    copy_piece(block(rank_) + r * part(), inputs[r], done, part());
}

// scatter and all_to_all.
void Exchange::scatter(Run& call) {
  const Collective& c = call.collective;
  const bool all = c.kind == CollectiveKind::kAllToAll;
  const size_t mine = static_cast<size_t>(rank_) * part();
  const auto fill = [&](size_t done) { fill_parts(c.inputs, done); };
  in_rounds(call, part(), fill, [&](size_t done) {
    for (size_t i = 0; i < c.outputs.size(); ++i)
      read_piece(c.outputs[i], done, part(), block(all ? static_cast<int>(i) : c.root) + mine);
  });
}

void Exchange::reduce_scatter(Run& call) {
  const Collective& c = call.collective;
  const Tensor& out = c.outputs[0];
  const ScalarType dtype = call.dtype();
  const size_t mine = static_cast<size_t>(rank_) * part();
  const auto fill = [&](size_t done) { fill_parts(c.inputs, done); };
  in_rounds(call, part(), fill, [&](size_t done) {
    const size_t n = piece(out, done, part());
    const auto count = static_cast<int64_t>(n / element_size(dtype));
    if (ranks_ == 1) read_piece(out, done, part(), block(0));
    for (int r = 1; r < ranks_; ++r)
      combine(c.op, dtype, at(out, done), r == 1 ? block(0) + mine : at(out, done), block(r) + mine,
              count);
    finish(c.op, dtype, at(out, done), count, ranks_);
  });
}

}  // namespace opweave::distributed::shm
