// Collectives that move tensors and compute nothing; those that do are in reduce.cc.
#include "runtime/distributed/backends/exchange/exchange.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/broken_off.h"
#include "runtime/distributed/backends/exchange/all_reduce.h"
#include "runtime/distributed/backends/exchange/given.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::exchange {
namespace {

constexpr size_t kChunk = 1 << 20;
// Of a rank in the tree of a barrier, and the two ways through it.
constexpr int kBranches = 8;
constexpr uint64_t kUp = 1, kDown = 2;
// What tells the slots of comparisons from all others.
constexpr uint64_t kComparison = 0x636f6d70617265;

char* at(const Tensor& t, size_t offset) { return static_cast<char*>(t.raw_data()) + offset; }

}  // namespace

void Exchange::run(const Collective& collective, const Deadline& deadline) {
  roll_.check(collective);
  roll_.begin(collective);
  if (compares_) compare(collective, deadline);
  try {
    Transfer transfer(wire_, roll_, collective, deadline);
    dispatch(transfer);
  } catch (...) {
    // Whatever it was: the others wait for what will not come.
    roll_.abort(broken_off(collective));
    throw;
  }
  roll_.finish(collective);
}

void Exchange::dispatch(Transfer& transfer) {
  const Collective& c = transfer.collective();
  const auto& outputs = c.outputs;
  Reducer reducer(transfer, Members::of_all(rank_, ranks_), scratch_, ranks_);
  switch (c.kind) {
    case CollectiveKind::kBroadcast:
      for (size_t i = 0; i < outputs.size(); ++i) broadcast(transfer, outputs[i], i);
      return;
    case CollectiveKind::kAllReduce:
      for (size_t i = 0; i < outputs.size(); ++i)
        AllReduce(transfer, topology_, rank_, scratch_).run(outputs[i], i);
      return;
    case CollectiveKind::kReduce:
      for (size_t i = 0; i < outputs.size(); ++i)
        reducer.reduce({static_cast<char*>(outputs[i].raw_data()), outputs[i].numel()}, c.root, i);
      return;
    case CollectiveKind::kReduceScatter:
      return reducer.reduce_scatter();
    case CollectiveKind::kBarrier:
      return barrier(transfer);
    default:
      return swap(transfer);
  }
}

void Exchange::compare(const Collective& collective, const Deadline& deadline) {
  const auto ranks = static_cast<size_t>(ranks_);
  const size_t nbytes = sizeof(Call) + 2 * ranks * sizeof(uint64_t);
  std::vector<char> all(ranks * nbytes);
  const auto place = [&](int r) { return all.data() + static_cast<size_t>(r) * nbytes; };
  const auto said = [&](int r) {
    auto* sizes = reinterpret_cast<uint64_t*>(place(r) + sizeof(Call));
    return Said{reinterpret_cast<Call*>(place(r)), sizes, sizes + ranks};
  };
  auto* sizes = reinterpret_cast<uint64_t*>(place(rank_) + sizeof(Call));
  *reinterpret_cast<Call*>(place(rank_)) = call_of(collective);
  write_sizes(collective, ranks_, sizes, sizes + ranks);
  Transfer transfer(wire_, roll_, collective, deadline, mix(kComparison, collective.sequence));
  std::vector<Message> messages;
  for (int i = 1; i < ranks_; ++i)
    messages.push_back(
        transfer.receive((rank_ + i) % ranks_, 0, place((rank_ + i) % ranks_), nbytes));
  for (int i = 1; i < ranks_; ++i)
    messages.push_back(transfer.send((rank_ + i) % ranks_, 0, place(rank_), nbytes));
  transfer.wait(messages);
  std::vector<Said> ranks_said;
  for (int r = 0; r < ranks_; ++r) ranks_said.push_back(said(r));
  const std::string why = unlike(ranks_said);
  if (why.empty()) return;
  roll_.finish(collective);
  throw DistBackendError(str(describe_call(collective), ": ", why));
}

// Up a tree and down again: a word for each rank and one back, where rounds between all of them
// would take more, which counts where a host has more ranks than processors. Two say it at once.
void Exchange::barrier(Transfer& transfer) {
  char here = 1;
  if (ranks_ == 2) {
    char there = 0;
    Message in = transfer.receive(1 - rank_, kUp, &there, 1);
    Message out = transfer.send(1 - rank_, kUp, &here, 1);
    transfer.wait(in);
    return transfer.wait(out);
  }
  const int first = rank_ * kBranches + 1, end = std::min(first + kBranches, ranks_);
  std::vector<char> there(kBranches);
  std::vector<Message> coming, going;
  for (int r = first; r < end; ++r)
    coming.push_back(transfer.receive(r, kUp, &there[static_cast<size_t>(r - first)], 1));
  transfer.wait(coming);
  if (rank_ != 0) {
    const int above = (rank_ - 1) / kBranches;
    going.push_back(transfer.send(above, kUp, &here, 1));
    coming.push_back(transfer.receive(above, kDown, &there[0], 1));
    transfer.wait(coming);
  }
  for (int r = first; r < end; ++r) going.push_back(transfer.send(r, kDown, &here, 1));
  transfer.wait(going);
}

// Down a tree, in chunks: counted from the root, a rank gets them from the one without its lowest
// bit, and gives them to those that have one bit more below that.
void Exchange::broadcast(Transfer& transfer, const Tensor& tensor, uint64_t step) {
  const int root = transfer.collective().root, place = (rank_ - root + ranks_) % ranks_;
  const auto rank_at = [&](int p) { return (p + root) % ranks_; };
  const int lowest = place == 0 ? ranks_ : place & -place;
  int widest = 1;
  while (widest * 2 < ranks_) widest *= 2;
  std::vector<Message> coming, going;
  const auto each_chunk = [&](auto act) {
    for (size_t done = 0; done < tensor.nbytes(); done += kChunk)
      act(at(tensor, done), std::min(kChunk, tensor.nbytes() - done), mix(step, done));
  };
  if (place != 0) {
    each_chunk([&](char* data, size_t nbytes, uint64_t chunk) {
      coming.push_back(transfer.receive(rank_at(place & (place - 1)), chunk, data, nbytes));
    });
  }
  size_t came = 0;
  each_chunk([&](char* data, size_t nbytes, uint64_t chunk) {
    if (place != 0) transfer.wait(coming[came++]);
    for (int bit = widest; bit > 0; bit /= 2) {
      if (bit < lowest && place + bit < ranks_)
        going.push_back(transfer.send(rank_at(place + bit), chunk, data, nbytes));
    }
  });
  transfer.wait(going);
}

void Exchange::swap(Transfer& transfer) {
  const Collective& c = transfer.collective();
  Given given(c, rank_);
  std::vector<Message> messages;
  for (int i = 1; i < ranks_; ++i) {
    const int from = (rank_ - i + ranks_) % ranks_;
    if (const Tensor* t = taken_from(c, from))
      messages.push_back(transfer.receive(from, 0, t->raw_data(), t->nbytes()));
  }
  for (int i = 1; i < ranks_; ++i) {
    const int to = (rank_ + i) % ranks_;
    if (const auto bytes = given.to(to))
      messages.push_back(transfer.send(to, 0, bytes->data(), bytes->size()));
  }
  const auto mine = given.to(rank_);
  const Tensor* out = taken_from(c, rank_);
  if (mine && out != nullptr && !mine->empty())
    std::memmove(out->raw_data(), mine->data(), mine->size());
  transfer.wait(messages);
}

}  // namespace opweave::distributed::exchange
