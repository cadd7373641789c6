// The kernel of autocast: arguments are cast, then the operator is called again below.
#include "runtime/autocast/rules.h"

#include <optional>

#include "opweave/ops/to.h"
#include "runtime/autocast/state.h"
#include "runtime/core/devices/devices.h"
#include "runtime/dispatch/operator_record.h"

namespace opweave {
namespace {

using autocast::autocast_key;
using autocast::State;

template <class F>
void for_each_tensor(const Stack& stack, F f) {
  for (const IValue& v : stack) {
    if (v.is_tensor()) {
      if (v.to_tensor().defined()) f(v.to_tensor());
    } else if (v.is_tensor_list()) {
      for (const Tensor& t : v.to_tensor_list()) {
        if (t.defined()) f(t);
      }
    }
  }
}

// The kind of device that a call is for: where arguments of several meet, the one that would be
// asked.
std::optional<DeviceType> device_of(const Stack& stack) {
  std::optional<DeviceType> highest;
  for_each_tensor(stack, [&](const Tensor& t) {
    const DeviceType type = t.device().type;
    if (!highest || type > *highest) highest = type;
  });
  return highest;
}

// One call: what is cast, and to what.
class Call {
 public:
  Call(const State& state, DeviceType device, Stack& stack)
      : state_(state), device_(device), stack_(stack) {}

  // float64 is left alone: who uses it means it.
  bool is_eligible(const Tensor& t) const {
    return t.device().type == device_ && contains(dtypes::kCommonFloating, t.dtype()) &&
           t.dtype() != kDouble;
  }

  ScalarType lower() const { return state_.dtype_of(device_); }

  ScalarType widest() const {
    ScalarType widest = lower();
    for_each_tensor(stack_, [&](const Tensor& t) {
      if (is_eligible(t) && t.dtype() != widest) widest = kFloat;
    });
    return widest;
  }

  void cast_all(ScalarType dtype) {
    for (IValue& v : stack_) {
      if (v.is_tensor()) {
        if (v.to_tensor().defined()) v = cast(v.to_tensor(), dtype);
      } else if (v.is_tensor_list()) {
        std::vector<Tensor> list = v.to_tensor_list();
        for (Tensor& t : list) {
          if (t.defined()) t = cast(t, dtype);
        }
        v = IValue(TensorList(list));
      }
    }
  }

 private:
  Tensor cast(const Tensor& t, ScalarType dtype) const {
    if (!is_eligible(t) || t.dtype() == dtype) return t;
    const bool weight = t.dtype() == kFloat && t.requires_grad() && t.is_leaf() && !t.is_view();
    if (weight && state_.cache_enabled && state_.nesting > 0 && dtype == lower())
      return state_.cache->cast(t, dtype);
    return opweave::to(t, dtype);
  }

  const State& state_;
  const DeviceType device_;
  Stack& stack_;
};

// Whether the call says itself what it computes in.
bool says_dtype(const OperatorEntry& op, const Stack& stack) {
  const auto arguments = op.record().arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.base == BaseType::scalar_type) return !stack[i].is_none();
  }
  return false;
}

[[noreturn]] void refuse(const OperatorEntry& op, ScalarType lower) {
  OW_THROW(ErrorKind::kRuntime, op.full_name(),
           " is unsafe to autocast: what it computes needs more range than ", lower,
           " has. Combine it with the layer before it where there is such an operator "
           "(binary_cross_entropy_with_logits has sigmoid in it), or call it on float32 tensors "
           "inside of "
           "autocast(enabled=False)");
}

void run_cast(const OperatorEntry& op, AutocastPolicy policy, Call call, Stack& stack) {
  const ExcludeDispatchKeys below(autocast_key.key());
  switch (policy) {
    case AutocastPolicy::kLowerPrecision:
      call.cast_all(call.lower());
      break;
    case AutocastPolicy::kFloat32:
      if (!says_dtype(op, stack)) call.cast_all(kFloat);
      break;
    case AutocastPolicy::kPromote:
      call.cast_all(call.widest());
      break;
    case AutocastPolicy::kRefused:
      refuse(op, call.lower());
    case AutocastPolicy::kNone:
      break;
  }
  op.call(stack);
}

void run(const OperatorEntry& op, const AutocastRuleDef& def, DispatchKeySet keys, Stack& stack) {
  // Held: a kernel may end the region that the thread is in.
  const SavedThreadState held;
  const State& state = autocast::state();
  const std::optional<DeviceType> device = device_of(stack);
  if (device && state.is_enabled(*device)) {
    const AutocastPolicy policy = is_host(Device(*device)) ? def.cpu : def.others;
    if (policy != AutocastPolicy::kNone)
      return run_cast(op, policy, Call(state, *device, stack), stack);
  }
  op.call_resolved(keys - autocast_key.key(), stack);
}

}  // namespace

void register_autocast_rules(std::span<const AutocastRuleDef> rules) {
  for (const AutocastRuleDef& def : rules) {
    def.op->set_boxed_kernel(autocast_key.key(),
                             [&def](const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
                               run(op, def, keys, stack);
                             });
  }
}

}  // namespace opweave
