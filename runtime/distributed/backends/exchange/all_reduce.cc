// The ways of an all_reduce but for trees (trees.cc).
#include "runtime/distributed/backends/exchange/all_reduce.h"

#include <algorithm>

#include "runtime/distributed/backends/combine.h"

namespace opweave::distributed::exchange {
namespace {

// Of a rank's part in a ring.
constexpr size_t kPart = 512 * 1024;

}  // namespace

AllReduce::AllReduce(Transfer& transfer, const Topology& topology, int rank, Scratch& scratch)
    : transfer_(transfer),
      topology_(topology),
      rank_(rank),
      ranks_(topology.ranks()),
      scratch_(scratch),
      dtype_(transfer.collective().outputs[0].dtype()),
      item_(element_size(dtype_)) {}

void AllReduce::run(const Tensor& tensor, uint64_t number) {
  const Elements whole{static_cast<char*>(tensor.raw_data()), tensor.numel()};
  const size_t all = transfer_.collective().whole;
  switch (topology_.choose(all == 0 ? tensor.nbytes() : all)) {
    case Way::direct:
      return direct(whole, number);
    case Way::ring:
      return ring(whole, number);
    case Way::tree:
      return tree(whole, number);
    case Way::double_tree:
      return double_tree(whole, number);
    case Way::two_level:
      return two_level(whole, number);
  }
}

int64_t AllReduce::grain(Way way, int ranks, size_t item) {
  if (way == Way::ring) return static_cast<int64_t>(kPart / item) * ranks;
  return way == Way::double_tree ? grain_of_two_trees(item) : 1;
}

void AllReduce::add(char* to, const char* lower, const char* higher, int64_t count) const {
  combine(transfer_.collective().op, dtype_, to, lower, higher, count);
}

void AllReduce::direct(Elements whole, uint64_t number) {
  Reducer(transfer_, Members::of_all(rank_, ranks_), scratch_, ranks_).all_reduce(whole, number);
}

void AllReduce::ring(Elements whole, uint64_t number) {
  const int64_t most = static_cast<int64_t>(kPart / item_) * ranks_;
  for (int64_t done = 0; done < whole.count; done += most)
    around({whole.data + nbytes(done), std::min(most, whole.count - done)},
           mix(number, static_cast<uint64_t>(done)));
}

// After n - 1 steps a rank has all of the part behind its own, which then goes around once more.
void AllReduce::around(Elements slab, uint64_t number) {
  const int next = (rank_ + 1) % ranks_, previous = (rank_ - 1 + ranks_) % ranks_;
  const auto part = [&](int i) {
    const int r = ((rank_ - i) % ranks_ + ranks_) % ranks_;
    const int64_t from = slab.count * r / ranks_, to = slab.count * (r + 1) / ranks_;
    return Elements{slab.data + nbytes(from), to - from};
  };
  char* const room = scratch_.of(kPart + item_);
  for (int step = 0; step < 2 * (ranks_ - 1); ++step) {
    const bool sums = step < ranks_ - 1;
    // Of the results, each gives first what it has made, and then what it has got.
    const int i = sums ? step : step - ranks_;
    const Elements given = part(i), got = part(i + 1);
    const uint64_t slot = mix(number, static_cast<uint64_t>(step));
    Message in = transfer_.receive(previous, slot, sums ? room : got.data, nbytes(got.count));
    Message out = transfer_.send(next, slot, given.data, nbytes(given.count));
    transfer_.wait(in);
    if (sums) add(got.data, room, got.data, got.count);
    if (step == ranks_ - 2) finish(transfer_.collective().op, dtype_, got.data, got.count, ranks_);
    transfer_.wait(out);
  }
}

// Only shares go between hosts, each once out and once in, however many ranks a host has.
void AllReduce::two_level(Elements whole, uint64_t number) {
  const Members beside(topology_.beside(rank_), rank_), across(topology_.across(rank_), rank_);
  Reducer within(transfer_, beside, scratch_, 0);
  within.reduce_share(whole, mix(number, 1));
  const Elements mine = within.share_of(whole, beside.index);
  Reducer(transfer_, across, scratch_, ranks_).all_reduce(mine, mix(number, 2));
  std::vector<Message> messages;
  for (int i = 0; i < beside.size(); ++i) {
    if (i == beside.index) continue;
    const Elements theirs = within.share_of(whole, i);
    messages.push_back(
        transfer_.receive(beside.rank(i), mix(number, 3), theirs.data, nbytes(theirs.count)));
  }
  for (int i = 0; i < beside.size(); ++i) {
    if (i != beside.index)
      messages.push_back(
          transfer_.send(beside.rank(i), mix(number, 3), mine.data, nbytes(mine.count)));
  }
  transfer_.wait(messages);
}

}  // namespace opweave::distributed::exchange
