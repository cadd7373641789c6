// Checks of running statistics, and the update of those that equal examples share.
#include "runtime/batching/statistics.h"

#include <optional>

#include "opweave/ops/allclose.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/select.h"
#include "runtime/core/tensor/companion.h"

namespace opweave {
namespace {

// One tensor with the tangents of each example has them as a companion.
bool repeats_one(const Tensor& value) {
  if (!thread_state().companions || value.impl()->companion() == nullptr || is_batched(value))
    return false;
  const NoGradGuard no_grad;
  const Tensor first = opweave::select(value, 0, 0);
  return opweave::allclose(value, opweave::expand(first, value.sizes()), 0, 0, /*equal_nan=*/true);
}

bool examples_differ(BatchedCall& call) {
  bool differ = false;
  call.for_each_tensor([&](const Tensor& t) {
    differ = differ || (call.batches(t) && !repeats_one(batched_value(t).value));
  });
  return differ;
}

Tensor repeated(const Tensor& t, int64_t examples) {
  DimVector sizes(t.sizes());
  sizes.insert(0, examples);
  return opweave::clone(opweave::expand(t, sizes), MemoryFormat::kContiguous);
}

}  // namespace

Statistics::Statistics(const OperatorEntry& op, const BatchRuleDef& def, BatchedCall& call) {
  Stack& stack = call.stack();
  std::optional<bool> differ;
  if (def.training >= 0 && !stack[def.training].to_bool()) return;
  for (size_t i = 0; i < stack.size(); ++i) {
    if ((def.statistics >> i & 1) == 0 || stack[i].is_none()) continue;
    const Tensor t = stack[i].to_tensor();
    if (!t.defined() || call.batches(t)) continue;
    if (!differ) differ = examples_differ(call);
    OW_CHECK(!*differ, "vmap: ", op.full_name(), " cannot update '", op.record().arguments[i].name,
             "', a tensor that is the same for all ", call.size(),
             " examples: other arguments differ between them. Give each example statistics of its "
             "own, or none.");
    shared_.push_back({t, repeated(t, call.size())});
    stack[i] = make_batched(shared_.back().copies, call.level());
  }
}

void Statistics::update() const {
  // As kernels do, without being seen to write.
  ThreadState state = thread_state();
  state.included = {};
  const ThreadStateGuard unseen(state);
  const BelowADInplaceOrView below;
  for (const Shared& s : shared_) {
    Tensor original = s.original;
    opweave::copy_(original, opweave::select(s.copies, 0, 0));
  }
}

}  // namespace opweave
