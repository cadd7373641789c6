// Collective: one call of one process for what its group does together, whatever carries it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/tensor.h"

namespace opweave::distributed {

enum class CollectiveKind : uint8_t {
#define OW_COLLECTIVE(id, name, inputs, outputs, rooted, reduces) id,
#include "runtime/distributed/group/collectives.def"
#undef OW_COLLECTIVE
};

enum class ReduceOp : uint8_t { kSum, kAvg, kProduct, kMin, kMax, kBand, kBor, kBxor };

// "all_reduce"; "sum".
std::string_view name_of(CollectiveKind kind);
std::string_view name_of(ReduceOp op);
bool is_rooted(CollectiveKind kind);
bool reduces(CollectiveKind kind);
// Of its name, in either case; RuntimeError that lists those there are.
ReduceOp reduce_op(std::string_view name);

struct Collective {
  static constexpr int kAnyRank = -1;
  using Milliseconds = std::chrono::milliseconds;

  CollectiveKind kind;
  // See collectives.def. Where both are `any`, `outputs` is what is read and written. Contiguous,
  // of one dtype.
  std::vector<Tensor> inputs = {}, outputs = {};
  ReduceOp op = ReduceOp::kSum;
  int root = 0;  // in the group; of send and recv the peer, which of recv may be kAnyRank
  int tag = 0;   // of send and recv
  std::optional<Milliseconds> timeout = {};  // none: the group's
  bool async = false;                        // whether the caller goes on before it is done

  // What the group sets: the how manieth of the group, counted apart for each pair of ranks.
  uint64_t sequence = 0;
};

// "all_reduce(sum) of float32[3, 4]", "send to rank 2 of …": for reports and errors.
std::string describe(const Collective& collective);
// The same with its number: "… (number 17 of its group)".
std::string describe_call(const Collective& collective);

}  // namespace opweave::distributed
