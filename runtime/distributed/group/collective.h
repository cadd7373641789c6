// Collective: one call of one process for what its group does together, whatever carries it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::distributed {

enum class CollectiveKind : uint8_t {
#define OW_COLLECTIVE(id, name, inputs, outputs, root, reduces) id,
#include "runtime/distributed/group/collectives.def"
#undef OW_COLLECTIVE
};

enum class ReduceOp : uint8_t { kSum, kAvg, kProduct, kMin, kMax, kBand, kBor, kBxor };

// What a line of collectives.def says.
enum class Count : uint8_t { none, one, any, each, one_at_root, each_at_root };
enum class Root : uint8_t { none, from, to };
struct KindRecord {
  std::string_view name;
  Count inputs, outputs;
  Root root;
  bool reduces;

  // Whether ranks may give one another tensors of different sizes.
  bool is_uneven() const;
};
const KindRecord& record_of(CollectiveKind kind);

// "all_reduce"; "sum".
inline std::string_view name_of(CollectiveKind kind) { return record_of(kind).name; }
std::string_view name_of(ReduceOp op);
inline bool is_rooted(CollectiveKind kind) { return record_of(kind).root != Root::none; }
// Between two ranks, beside what all do together.
inline bool is_letter(CollectiveKind kind) {
  return kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv;
}
inline bool reduces(CollectiveKind kind) { return record_of(kind).reduces; }
// "all_reduce(sum)".
std::string called(CollectiveKind kind, ReduceOp op);
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
  // Of a part of a larger tensor: how many bytes that has. Its way is that of the whole, so that
  // cutting changes no bits; 0: nothing is cut.
  size_t whole = 0;

  // What the group sets: the how manieth of the group, counted apart for each pair of ranks.
  uint64_t sequence = 0;
};

// "all_reduce(sum) of float32[3, 4]", "send to rank 2 of …": for reports and errors.
std::string describe(const Collective& collective);
// The same with its number: "… (number 17 of its group)".
std::string describe_call(const Collective& collective);

}  // namespace opweave::distributed
