// Reducer: collectives that compute. Small tensors go from each rank to each; of larger ones every
// rank combines a share for all, in pieces of which several are under way.
#pragma once

#include <functional>
#include <vector>

#include "runtime/distributed/backends/exchange/transfer.h"

namespace opweave::distributed::exchange {

class Reducer {
 public:
  // `scratch` is kept for the next.
  Reducer(Transfer& transfer, int rank, int ranks, std::vector<char>& scratch);

  // all_reduce and reduce of one tensor; `number` tells it from others of its collective.
  void reduce(const Tensor& tensor, uint64_t number);
  void reduce_scatter();

 private:
  // A part of what is combined for one rank.
  struct Part {
    char* data = nullptr;  // what this rank gives
    int64_t count = 0;
  };
  // What is to be done, in steps of which each has a part for every rank.
  struct Plan {
    size_t steps = 0;
    std::function<Part(int rank, size_t step)> part;
    std::function<char*(size_t step)> result;  // where this rank's goes; null: nowhere of its own
    bool to_all = false;                       // results go to all ranks, into their parts
    int to = -1;                               // or to this one
  };
  struct Step;

  void reduce_few(const Tensor& tensor, uint64_t number);
  void run(const Plan& plan, uint64_t number);
  void open(const Plan& plan, Step& step, uint64_t number);
  void combine_parts(const Plan& plan, Step& step, uint64_t number);
  // What all ranks give, in their order, into `result`; that of this rank is `mine`. Overwrites
  // what others have given.
  void combine_in_order(char* result, char* mine, char* others, size_t stride, int64_t count);
  bool needs_results(const Plan& plan, int rank) const { return plan.to_all || plan.to == rank; }
  size_t nbytes(int64_t count) const { return static_cast<size_t>(count) * item_; }
  char* scratch(size_t nbytes);

  Transfer& transfer_;
  const int rank_, ranks_;
  std::vector<char>& scratch_;
  const ScalarType dtype_;
  const size_t item_;
};

}  // namespace opweave::distributed::exchange
