// Which calls of NCCL a collective is.
#pragma once

#include "runtime/distributed/backends/nccl/library.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed::nccl {

// RuntimeError that names the collective where NCCL cannot: a reduction of a dtype that it has not,
// bitwise ones.
void check_supported(const Collective& collective);

// Parts of one size, the inputs of a reduce_scatter or the outputs of an all_gather, are one block
// to NCCL: those that do not lie behind one another here go through a block of their own. Which
// calls a collective is depends on sizes alone, for the memory of another rank may lie otherwise.
// Null where none is needed.
const std::vector<Tensor>* parts_that_need_a_block(const Collective& collective);

// What the calls are issued to.
struct Place {
  const Library& library;
  StreamHandle stream;
  int rank, ranks;
  int peer = 0;           // of send and recv, in the communicator
  const Tensor* scratch;  // of one element for a barrier; the block where one is needed; or null
};

// In a group (ncclGroupStart); the first result that is no success.
Result issue(const Collective& collective, CommHandle comm, const Place& place);

}  // namespace opweave::distributed::nccl
