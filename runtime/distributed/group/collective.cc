// Names of collectives, and how reports speak of a call.
#include "runtime/distributed/group/collective.h"

#include <array>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

constexpr KindRecord kKinds[] = {
#define OW_COLLECTIVE(id, name, inputs, outputs, root, reduces) \
  {name, Count::inputs, Count::outputs, Root::root, reduces},
#include "runtime/distributed/group/collectives.def"
#undef OW_COLLECTIVE
};

constexpr std::string_view kOps[] = {"sum", "avg", "product", "min", "max", "band", "bor", "bxor"};

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

bool KindRecord::is_uneven() const {
  const auto each = [](Count count) {
    return count == Count::each || count == Count::each_at_root;
  };
  return each(inputs) || each(outputs);
}

const KindRecord& record_of(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)]; }
std::string_view name_of(ReduceOp op) { return kOps[static_cast<size_t>(op)]; }

std::string called(CollectiveKind kind, ReduceOp op) {
  return reduces(kind) ? str(name_of(kind), "(", name_of(op), ")") : std::string(name_of(kind));
}

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
  std::string text = called(c.kind, c.op);
  if (is_rooted(c.kind)) {
    text += record_of(c.kind).root == Root::from ? " from " : " to ";
    text += c.root == Collective::kAnyRank ? "any rank" : str("rank ", c.root);
  }
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  return tensors.empty() ? text : text + " of " + described(tensors);
}

std::string describe_call(const Collective& c) {
  return str(describe(c), " (number ", c.sequence, " of its group)");
}

}  // namespace opweave::distributed
