// NanCheck: finds the operator that a NaN comes from.
#include <algorithm>

#include "opweave/ops/any.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/item.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/operator.h"

namespace {

using namespace opweave;

// Below what autograd and vmap do: right above the kernels.
constinit FunctionalityKey nan_check{"NanCheck", {.below = "ADInplaceOrView"}};
// How many results this thread has looked at; travels with it to the threads that work for it.
constinit ThreadValue<int64_t> checked;

void check(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const ExcludeDispatchKeys below(nan_check.key());
  op.call_resolved(keys - nan_check.key(), stack);
  for (const IValue& result : stack) {
    if (!result.is_tensor() || !result.to_tensor().is_floating_point()) continue;
    checked.set(checked.get() + 1);
    OW_CHECK(!item(any(isnan(result.to_tensor()))).to_bool(), op.full_name(), "() made a NaN");
  }
}

// Which operators it is for, by what is known of them.
void rule(OperatorEntry& op, DispatchKey key) {
  const OperatorRecord& record = op.record();
  const bool makes_tensors = std::ranges::any_of(record.returns, [](const ReturnRecord& r) {
    return r.type.is_tensor() && r.type.alias == 0;
  });
  if (makes_tensors) op.set_boxed_kernel(key, check);
}

}  // namespace

extern "C" void nan_check_register() { register_rule(nan_check.key(), rule); }
extern "C" int64_t nan_check_count() { return checked.get(); }
