// Collectives as fill, meet and read; those that reduce a tensor for all are in reduce.cc.
#include "runtime/distributed/backends/shm/exchange.h"

#include <algorithm>
#include <utility>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/backends/overlap.h"
#include "runtime/distributed/backends/shm/copy.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {
namespace {

constexpr size_t kBlock = Layout::kBlock;

}  // namespace

Exchange::Exchange(Layout layout, int rank, int ranks)
    : layout_(layout),
      meeting_(layout, rank, ranks),
      memory_(layout, rank, ranks),
      rank_(rank),
      ranks_(ranks) {
  for (int turn = 0; turn < 2; ++turn) {
    for (int r = 0; r < ranks; ++r)
      said_[turn].push_back(
          {&layout.rank(r).calls[turn], layout.given(r, turn), layout.taken(r, turn)});
  }
  for (int r = 0; r < ranks; ++r) all_run_ = all_run_ && layout.rank(r).runs;
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
  if (overlap_shifted(collective)) return run_apart(with_copied_inputs(collective), deadline);
  run_apart(collective, deadline);
}

void Exchange::run_apart(const Collective& collective, const Deadline& deadline) {
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

// Two that run at once: the smaller the steps, the sooner the readers begin. Where processes wait
// for a processor, each meeting costs more than that.
size_t Exchange::broadcast_step(const Tensor& t) const {
  return all_run_ && t.nbytes() < kDirect ? kBlock / 2 : kBlock;
}

void Exchange::broadcast(Run& call) {
  const bool gives = rank_ == call.collective.root;
  for (const Tensor& t : call.collective.outputs) {
    if (broadcast_directly(call, t)) continue;
    const size_t step = broadcast_step(t);
    for (size_t done = 0; done < t.nbytes(); done += step, next_block()) {
      if (gives) copy_piece(block(rank_), t, done, step);
      meet(call);
      if (!gives) read_piece(t, done, step, block(call.collective.root));
    }
  }
}

size_t Exchange::most_given() const {
  size_t most = 0;
  for (int r = 0; r < ranks_; ++r) {
    for (int to = 0; to < ranks_; ++to) most = std::max<size_t>(most, layout_.given(r, turn_)[to]);
  }
  return most;
}

// How much of a tensor goes in the first round, and in one that begins with `done`.
size_t Exchange::first_share(const Tensor& t, size_t step) {
  return t.nbytes() <= std::min(step, kWhole) ? t.nbytes() : std::min(step, kFirstRound);
}

size_t Exchange::share(const Tensor& t, size_t done, size_t step) {
  const size_t first = first_share(t, step);
  if (done == 0) return first;
  return first == t.nbytes() ? 0 : step;
}

template <class Fill, class Read, class ReadRest>
void Exchange::in_rounds(Run& call, size_t step, Fill fill, Read read, ReadRest read_rest) {
  offer_inputs(call, step);
  size_t most = 0;  // known after the first meeting, when all have said what they give
  for (size_t done = 0, room = std::min(step, kFirstRound); done == 0 || done < most;
       done += std::exchange(room, step), next_block()) {
    fill(done);
    const bool first = !call.compared;
    meet(call);
    if (first) most = most_given();
    const bool directly = first && most >= kDirectRest && all_offer();
    const Sources sources = directly ? this->sources() : Sources();
    read(done);
    if (first && most <= std::min(step, kWhole)) return next_block();
    if (!directly) continue;
    next_block();
    read_rest(sources);
    return meet_after(call);
  }
}

// all_gather and gather: who has outputs reads them.
void Exchange::gather(Run& call) {
  const Tensor& in = call.collective.inputs[0];
  const auto& outputs = call.collective.outputs;
  const auto fill = [&](size_t done) {
    copy_piece(block(rank_), in, done, share(in, done, kBlock));
  };
  const auto read = [&](size_t done) {
    for (int r = 0; r < static_cast<int>(outputs.size()); ++r) {
      const Tensor& out = outputs[static_cast<size_t>(r)];
      if (r == rank_)
        keep_piece(out, in, done, share(in, done, kBlock));
      else
        read_piece(out, done, share(out, done, kBlock), block(r));
    }
  };
  in_rounds(call, kBlock, fill, read, [&](const Sources& sources) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t from = (i + static_cast<size_t>(rank_)) % outputs.size();
      read_rest(call, sources[from], outputs[from], in, first_share(outputs[from], kBlock));
    }
  });
}

// A block has a part for each rank.
size_t Exchange::part() const { return kBlock / static_cast<size_t>(ranks_) / kLine * kLine; }

void Exchange::give_part(int to, const Tensor& t, size_t done) {
  copy_piece(part_of(rank_, turn_, to), t, done, share(t, done, part()));
}

// scatter and all_to_all.
void Exchange::scatter(Run& call) {
  const Collective& c = call.collective;
  const bool all = c.kind == CollectiveKind::kAllToAll;
  const auto fill = [&](size_t done) {
    for (int r = 0; r < static_cast<int>(c.inputs.size()); ++r)
      if (r != rank_) give_part(r, c.inputs[static_cast<size_t>(r)], done);
  };
  const auto giver = [&](size_t i) { return all ? static_cast<int>(i) : c.root; };
  const auto read = [&](size_t done) {
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      const size_t room = share(c.outputs[i], done, part());
      if (giver(i) == rank_)
        keep_piece(c.outputs[i], c.inputs[static_cast<size_t>(rank_)], done, room);
      else
        read_piece(c.outputs[i], done, room, part_of(giver(i), turn_, rank_));
    }
  };
  in_rounds(call, part(), fill, read, [&](const Sources& sources) {
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      const size_t at = (i + static_cast<size_t>(rank_)) % c.outputs.size();
      const Tensor& mine = c.inputs.empty() ? c.outputs[at] : c.inputs[static_cast<size_t>(rank_)];
      const Source& from = sources[static_cast<size_t>(giver(at))];
      read_rest(call, from, c.outputs[at], mine, first_share(c.outputs[at], part()));
    }
  });
}

void Exchange::reduce_scatter(Run& call) {
  const Collective& c = call.collective;
  const Tensor& out = c.outputs[0];
  const ScalarType dtype = call.dtype();
  const size_t mine = static_cast<size_t>(rank_) * part();
  const auto fill = [&](size_t done) {
    for (int r = 0; r < ranks_; ++r) give_part(r, c.inputs[static_cast<size_t>(r)], done);
  };
  const auto read = [&](size_t done) {
    const size_t room = share(out, done, part()), n = piece(out, done, room);
    const auto count = static_cast<int64_t>(n / element_size(dtype));
    if (ranks_ == 1) read_piece(out, done, room, block(0));
    for (int r = 1; r < ranks_; ++r)
      combine(c.op, dtype, at(out, done), r == 1 ? block(0) + mine : at(out, done), block(r) + mine,
              count);
    finish(c.op, dtype, at(out, done), count, ranks_);
  };
  in_rounds(call, part(), fill, read, [&](const Sources& sources) {
    const size_t done = first_share(out, part());
    const Tensor& in = c.inputs[static_cast<size_t>(rank_)];
    combine_directly(call, sources, done, at(in, done), at(out, done), out.nbytes() - done);
  });
}

}  // namespace opweave::distributed::shm
