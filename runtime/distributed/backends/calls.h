// Whether all ranks have been called for the same: what each says of its call to the others, the
// same for every backend whose ranks are processes.
#pragma once

#include <span>
#include <string>

#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

// What one rank says of the collective that it has been called for. Goes to other processes as it
// is, on hosts of one kind.
struct Call {
  uint8_t kind, dtype, op;
  int32_t root;
  uint32_t tensors;  // how many
  uint64_t sequence;
  uint64_t elements;  // of all of them
  uint64_t counts;    // a hash of how many elements each has
  uint64_t shapes;    // and of their sizes
  // Of the first tensor, as far as there is room: for reports.
  static constexpr int kSizes = 6;
  int64_t sizes[kSizes];
  int32_t dim;
};

// The same with how many bytes it gives each rank and has room for from each, which count where
// ranks may give one another different sizes. `call` is null of a rank that has said nothing.
struct Said {
  const Call* call = nullptr;
  const uint64_t* given = nullptr;
  const uint64_t* taken = nullptr;
};

// Of a collective's inputs what goes to a rank, and of its outputs what a rank's comes into: of a
// list for all ranks that of its place, else the one tensor; null of a rank that gets or gives
// nothing.
const Tensor* given_to(const Collective& collective, int rank);
const Tensor* taken_from(const Collective& collective, int rank);

Call call_of(const Collective& collective);
// Nothing where all ranks' sizes are equal.
void write_sizes(const Collective& collective, int ranks, uint64_t* given, uint64_t* taken);
// Whether the environment wants the ranks to compare their calls before each collective
// (OPWEAVE_DISTRIBUTED_DEBUG, TORCH_DISTRIBUTED_DEBUG: "DETAIL", in either case).
bool compares_calls();
// "all_reduce(sum) (number 17)".
std::string name_call(const Call& call);
// "rank 1", "ranks 1, 3".
std::string name_ranks(const std::vector<int>& ranks);
// "rank 1 did not come in time; ranks 0, 2 did": of those that are missing, and the others.
std::string not_in_time(const std::vector<int>& missing, int ranks);
// Why what the ranks say, in their order, does not go together; empty where it does.
std::string unlike(std::span<const Said> ranks);

}  // namespace opweave::distributed
