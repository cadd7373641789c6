// Names of collectives, and how reports speak of a call.
#include "runtime/distributed/group/collective.h"

#include <array>

#include "runtime/core/error.h"
#include "runtime/core/str.h"

namespace opweave::distributed {
namespace {

struct KindRecord {
  std::string_view name;
  bool rooted, reduces;
};

constexpr KindRecord kKinds[] = {
#define OW_COLLECTIVE(id, name, inputs, outputs, rooted, reduces) {name, rooted, reduces},
#include "runtime/distributed/group/collectives.def"
#undef OW_COLLECTIVE
};

constexpr std::string_view kOps[] = {"sum", "avg", "product", "min", "max", "band", "bor", "bxor"};

const KindRecord& record(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "float32[3, 4] and 2 more".
std::string described(const std::vector<Tensor>& tensors) {
  const Tensor& first = tensors.front();
  std::string text = str(first.dtype(), first.sizes());
  return tensors.size() == 1 ? text : str(text, " and ", tensors.size() - 1, " more");
}

}  // namespace

std::string_view name_of(CollectiveKind kind) { return record(kind).name; }
std::string_view name_of(ReduceOp op) { return kOps[static_cast<size_t>(op)]; }
bool is_rooted(CollectiveKind kind) { return record(kind).rooted; }
bool reduces(CollectiveKind kind) { return record(kind).reduces; }

ReduceOp reduce_op(std::string_view name) {
  const std::string wanted = lower(name);
  std::string known;
  for (size_t i = 0; i < std::size(kOps); ++i) {
    if (kOps[i] == wanted) return static_cast<ReduceOp>(i);
    known += (i == 0 ? "" : ", ") + std::string(kOps[i]);
  }
  OW_THROW(ErrorKind::kValue, "no reduction is called '", name, "'; there are ", known);
}

std::string describe(const Collective& c) {
  std::string text(name_of(c.kind));
  if (reduces(c.kind)) text += str("(", name_of(c.op), ")");
  if (is_rooted(c.kind)) {
    const bool gives = c.kind == CollectiveKind::kBroadcast || c.kind == CollectiveKind::kScatter ||
                       c.kind == CollectiveKind::kRecv;
    text += gives ? " from " : " to ";
    text += c.root == Collective::kAnyRank ? "any rank" : str("rank ", c.root);
  }
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  return tensors.empty() ? text : text + " of " + described(tensors);
}

std::string describe_call(const Collective& c) {
  return str(describe(c), " (number ", c.sequence, " of its group)");
}

}  // namespace opweave::distributed
