// An all_reduce up and down trees, in chunks.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/backends/exchange/all_reduce.h"

namespace opweave::distributed::exchange {
namespace {

constexpr size_t kChunk = 256 * 1024;
// How many chunks are on their way up while others come down.
constexpr size_t kUnderWay = 4;

uint64_t slot(uint64_t number, size_t chunk, bool down) {
  return mix(mix(number, chunk), down ? 1 : 0);
}

// In a binary tree of ranks in order: leaves are odd, and the root is 0, with one child.
int parent_in_order(int r, int ranks) {
  if (r == 0) return -1;
  const int bit = r & -r, up = (r ^ bit) | (bit << 1);
  return up < ranks ? up : r ^ bit;
}

}  // namespace

struct AllReduce::Chunks {
  struct Chunk {
    std::vector<Message> children, sent;
  };
  Chunk& at(size_t i) { return under_way[i % under_way.size()]; }
  const Tree& tree(size_t i) const { return trees[i % trees.size()]; }
  Elements data(size_t i) const {
    const int64_t begin = static_cast<int64_t>(i) * most;
    return {whole.data + static_cast<size_t>(begin) * item, std::min(most, whole.count - begin)};
  }
  char* room(size_t i, size_t child) const {
    return memory + (i % under_way.size() * widest + child) * kChunk;
  }

  const std::vector<Tree>& trees;
  const Elements whole;
  const uint64_t number;
  const size_t item;
  const int64_t most = static_cast<int64_t>(kChunk / item);
  size_t widest = 0;
  char* memory = nullptr;
  std::vector<Chunk> under_way = std::vector<Chunk>(kUnderWay + 1);
};

int64_t AllReduce::grain_of_two_trees(size_t item) {
  return 2 * static_cast<int64_t>(kChunk / item);
}

AllReduce::Tree AllReduce::binomial() const {
  Tree tree;
  int bit = 1;
  for (; bit < ranks_ && (rank_ & bit) == 0; bit <<= 1)
    if (rank_ + bit < ranks_) tree.children.push_back(rank_ + bit);
  if (rank_ != 0) tree.parent = rank_ - bit;
  return tree;
}

// The second is the first of ranks that are counted from behind, or from the next one on where
// their number is odd: whoever has children in one is a leaf of the other (Sanders, Speck and
// Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009).
AllReduce::Tree AllReduce::binary(int which) const {
  const auto turned = [&](int r) {
    if (which == 0) return r;
    return ranks_ % 2 == 0 ? ranks_ - 1 - r : (r + 1) % ranks_;
  };
  const auto parent = [&](int place) { return parent_in_order(place, ranks_); };
  Tree tree;
  for (int place = 0; place < ranks_; ++place) {
    const int up = parent(place);
    if (turned(place) == rank_ && up >= 0) tree.parent = turned(up);
    if (up >= 0 && turned(up) == rank_) tree.children.push_back(turned(place));
  }
  std::sort(tree.children.begin(), tree.children.end());
  return tree;
}

void AllReduce::tree(Elements whole, uint64_t number) { through({binomial()}, whole, number); }

void AllReduce::double_tree(Elements whole, uint64_t number) {
  through({binary(0), binary(1)}, whole, number);
}

void AllReduce::through(const std::vector<Tree>& trees, Elements whole, uint64_t number) {
  Chunks chunks{.trees = trees, .whole = whole, .number = number, .item = item_};
  for (const Tree& tree : trees) chunks.widest = std::max(chunks.widest, tree.children.size());
  chunks.memory = scratch_.of((kUnderWay + 1) * chunks.widest * kChunk);
  const auto count = static_cast<size_t>((whole.count + chunks.most - 1) / chunks.most);
  for (size_t i = 0; i < count + kUnderWay; ++i) {
    if (i < count) {
      const Elements data = chunks.data(i);
      const auto& children = chunks.tree(i).children;
      for (size_t c = 0; c < children.size(); ++c)
        chunks.at(i).children.push_back(transfer_.receive(children[c], slot(number, i, false),
                                                          chunks.room(i, c), nbytes(data.count)));
    }
    if (i >= 1 && i - 1 < count) up(chunks, i - 1);
    if (i >= kUnderWay) down(chunks, i - kUnderWay);
  }
  for (Chunks::Chunk& chunk : chunks.under_way) transfer_.wait(chunk.sent);
}

void AllReduce::up(Chunks& chunks, size_t i) {
  const Elements data = chunks.data(i);
  const Tree& tree = chunks.tree(i);
  Chunks::Chunk& chunk = chunks.at(i);
  for (size_t c = 0; c < tree.children.size(); ++c) {
    transfer_.wait(chunk.children[c]);
    char* const theirs = chunks.room(i, c);
    const bool lower = tree.children[c] < rank_;
    add(data.data, lower ? theirs : data.data, lower ? data.data : theirs, data.count);
  }
  chunk.children.clear();
  if (tree.parent >= 0)
    chunk.sent.push_back(
        transfer_.send(tree.parent, slot(chunks.number, i, false), data.data, nbytes(data.count)));
  else
    finish(transfer_.collective().op, dtype_, data.data, data.count, ranks_);
}

void AllReduce::down(Chunks& chunks, size_t i) {
  const Elements data = chunks.data(i);
  const Tree& tree = chunks.tree(i);
  Chunks::Chunk& chunk = chunks.at(i);
  const uint64_t way = slot(chunks.number, i, true);
  transfer_.wait(chunk.sent);  // before what has been given is overwritten
  chunk.sent.clear();
  if (tree.parent >= 0) {
    Message result = transfer_.receive(tree.parent, way, data.data, nbytes(data.count));
    transfer_.wait(result);
  }
  for (const int child : tree.children)
    chunk.sent.push_back(transfer_.send(child, way, data.data, nbytes(data.count)));
}

}  // namespace opweave::distributed::exchange
