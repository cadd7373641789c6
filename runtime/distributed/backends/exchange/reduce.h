// Reducer: collectives that compute. Small tensors go from each rank to each; of larger ones every
// rank combines a share for all, in pieces of which several are under way.
#pragma once

#include <functional>
#include <vector>

#include "runtime/distributed/backends/exchange/members.h"
#include "runtime/distributed/backends/exchange/scratch.h"
#include "runtime/distributed/backends/exchange/transfer.h"

namespace opweave::distributed::exchange {

// Up to so many bytes in all, each rank gets everything: one message's time instead of two.
inline constexpr size_t kFew = 128 * 1024;

// Elements somewhere in a tensor.
struct Elements {
  char* data = nullptr;
  int64_t count = 0;
};

class Reducer {
 public:
  // Ranks are counted among the members here. Averages are divided by `divisor`, if that is not 0.
  Reducer(Transfer& transfer, Members members, Scratch& scratch, int divisor);

  // Of one tensor, for all or for one rank; `number` tells it from others of its collective.
  void all_reduce(Elements whole, uint64_t number);
  void reduce(Elements whole, int to, uint64_t number);
  // The inputs of a reduce_scatter, among all ranks.
  void reduce_scatter();
  // In place: of the members' shares of it (share_of), each has its own combined.
  void reduce_share(Elements whole, uint64_t number);
  Elements share_of(Elements whole, int member) const;

 private:
  // What is to be done, in steps of which each has a part for every rank.
  struct Plan {
    size_t steps = 0;
    std::function<Elements(int rank, size_t step)> part;
    std::function<char*(size_t step)> result;  // where this rank's goes; null: nowhere of its own
    bool to_all = false;                       // results go to all ranks, into their parts
    int to = -1;                               // or to this one
  };
  struct Step;

  void reduce_few(Elements whole, int to, uint64_t number);
  void in_steps(Elements whole, int to, uint64_t number);
  Message receive(int from, uint64_t step, void* data, size_t nbytes) {
    return transfer_.receive(members_.rank(from), step, data, nbytes);
  }
  Message send(int to, uint64_t step, const void* data, size_t nbytes) {
    return transfer_.send(members_.rank(to), step, data, nbytes);
  }
  void run(const Plan& plan, uint64_t number);
  void open(const Plan& plan, Step& step, uint64_t number);
  void combine_parts(const Plan& plan, Step& step, uint64_t number);
  // What all ranks give, in their order, into `result`; that of this rank is `mine`. Overwrites
  // what others have given.
  void combine_in_order(char* result, char* mine, char* others, size_t stride, int64_t count);
  bool needs_results(const Plan& plan, int rank) const { return plan.to_all || plan.to == rank; }
  size_t nbytes(int64_t count) const { return static_cast<size_t>(count) * item_; }

  Transfer& transfer_;
  const Members members_;
  const int rank_, ranks_, divisor_;
  Scratch& scratch_;
  const ScalarType dtype_;
  const size_t item_;
};

}  // namespace opweave::distributed::exchange
