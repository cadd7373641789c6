// Exchange: collectives as messages between ranks. Who combines does so in the order of ranks, and
// for all: results are equal to the bit.
#pragma once

#include "runtime/distributed/backends/exchange/scratch.h"
#include "runtime/distributed/backends/exchange/topology.h"
#include "runtime/distributed/backends/exchange/transfer.h"

namespace opweave::distributed::exchange {

class Exchange {
 public:
  // With `compares`, the ranks tell one another what they were called for before each collective:
  // where that does not go together all are told, and the group goes on. Without, they do so when
  // one has waited for a while, and the group is over.
  Exchange(Wire& wire, net::Roll& roll, int rank, const Topology& topology, bool compares)
      : wire_(wire),
        roll_(roll),
        topology_(topology),
        rank_(rank),
        ranks_(topology.ranks()),
        compares_(compares) {}

  // One after another.
  void run(const Collective& collective, const Deadline& deadline);

 private:
  void compare(const Collective& collective, const Deadline& deadline);
  void dispatch(Transfer& transfer);
  void barrier(Transfer& transfer);
  void broadcast(Transfer& transfer, const Tensor& tensor, uint64_t step);
  // Every rank's inputs to whom they are for, every output from whom it comes.
  void swap(Transfer& transfer);

  Wire& wire_;
  net::Roll& roll_;
  const Topology& topology_;
  const int rank_, ranks_;
  const bool compares_;
  Scratch scratch_;
};

}  // namespace opweave::distributed::exchange
