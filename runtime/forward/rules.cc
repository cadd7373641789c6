// The kernel of forward-mode differentiation.
#include "runtime/forward/rules.h"

#include <algorithm>

#include "runtime/autograd/custom_node.h"
#include "runtime/core/base/error.h"
#include "runtime/dispatch/registry.h"
#include "runtime/forward/dual.h"
#include "runtime/forward/forward_call.h"
#include "runtime/forward/layout.h"

namespace opweave {
namespace {

template <class F>
void for_each_tensor(const Stack& stack, F f) {
  for (const IValue& v : stack) {
    if (v.is_tensor()) {
      f(v.to_tensor());
    } else if (v.is_tensor_list()) {
      for (const Tensor& t : v.to_tensor_list()) f(t);
    }
  }
}

int32_t highest_level(const Stack& stack) {
  int32_t level = 0;
  for_each_tensor(stack, [&](const Tensor& t) {
    if (t.defined()) adopt_late_tangents(t);
    if (!has_forward_key(t)) return;
    level = std::max(level, tangent_level(t));
    refresh_forward_key(t);  // the levels of its tangents may have ended
  });
  return level;
}

// Where no argument has a tangent, those that batched tensors stand for may: the operators that the
// kernel calls have to see them.
void run(const OperatorEntry& op, const ForwardRuleDef& def, DispatchKeySet keys, Stack& stack) {
  const int32_t level = highest_level(stack);
  if (level > 0) return ForwardCall(op, def, stack, level).run();
  op.call_resolved(keys - forward_key(), stack);
}

// The kernel of operators without a rule.
void run_without_rule(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const int32_t level = highest_level(stack);
  const DispatchKey next = (keys - forward_key()).highest();
  op.call_resolved(keys - forward_key(), stack);
  if (level == 0) return;
  bool floats = false, carried = false;
  for_each_tensor(stack, [&](const Tensor& t) {
    if (!t.defined()) return;
    floats |= t.is_differentiable();
    carried |= find_tangent(t, level) != nullptr;
  });
  OW_CHECK_KIND(ErrorKind::kNotImplemented, carried || !floats, "Trying to use forward AD with ",
                op.full_name(),
                " that does not support it because it has no kernel for the dispatch key 'Forward' "
                "and its kernel for '",
                key_name(next),
                "' returned nothing with a tangent. Compute the results with operators, which have "
                "tangents, or register a rule: library.impl(\"",
                op.full_name(), "\", function, \"Forward\").");
}

}  // namespace

void require_tangents(OperatorEntry& op) { op.set_boxed_kernel(forward_key(), &run_without_rule); }

namespace {

bool any_tangent(TensorList tensors) {
  return std::ranges::any_of(tensors, [](const Tensor& t) {
    return t.defined() && adopted_tangent_level(recorded(t)) > 0;
  });
}

}  // namespace

void register_forward_rules(std::span<const ForwardRuleDef> rules) {
  set_differentiates_forwards(any_tangent);
  for (const ForwardRuleDef& def : rules) {
    def.op->set_boxed_kernel(forward_key(), [&def](const OperatorEntry& op, DispatchKeySet keys,
                                                   Stack& stack) { run(op, def, keys, stack); });
  }
}

}  // namespace opweave
