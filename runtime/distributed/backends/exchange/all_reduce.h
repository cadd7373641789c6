// AllReduce: an all_reduce in the way that suits its size and where the ranks are.
#pragma once

#include <vector>

#include "runtime/distributed/backends/exchange/reduce.h"
#include "runtime/distributed/backends/exchange/topology.h"

namespace opweave::distributed::exchange {

class AllReduce {
 public:
  AllReduce(Transfer& transfer, const Topology& topology, int rank, Scratch& scratch);

  // In place. Every element is combined by one rank, from which all have it: results are equal to
  // the bit. `number` tells the tensor from others of its collective.
  void run(const Tensor& tensor, uint64_t number);
  // See Backend. A rank combines what lies at a certain place of a slab, or of two chunks.
  static int64_t grain(Way way, int ranks, size_t item);

 private:
  // A tree of ranks: each one's parent, of the root -1, and children.
  struct Tree {
    int parent = -1;
    std::vector<int> children;
  };
  struct Chunks;

  void direct(Elements whole, uint64_t number);
  void ring(Elements whole, uint64_t number);
  void around(Elements slab, uint64_t number);
  void tree(Elements whole, uint64_t number);
  void double_tree(Elements whole, uint64_t number);
  void two_level(Elements whole, uint64_t number);

  // Through one or two trees in turns, in chunks of which several are under way.
  void through(const std::vector<Tree>& trees, Elements whole, uint64_t number);
  void up(Chunks& chunks, size_t i);
  void down(Chunks& chunks, size_t i);
  static int64_t grain_of_two_trees(size_t item);
  Tree binomial() const;
  Tree binary(int shift) const;

  size_t nbytes(int64_t count) const { return static_cast<size_t>(count) * item_; }
  // `lower` ranks' on the left.
  void add(char* to, const char* lower, const char* higher, int64_t count) const;

  Transfer& transfer_;
  const Topology& topology_;
  const int rank_, ranks_;
  Scratch& scratch_;
  const ScalarType dtype_;
  const size_t item_;
};

}  // namespace opweave::distributed::exchange
