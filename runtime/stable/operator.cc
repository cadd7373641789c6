// One operator of a library: its kernels and rules, from the table.
#include "runtime/stable/operator.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "kernels/results/devices.h"
#include "runtime/batching/rules.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"
#include "runtime/forward/dual.h"
#include "runtime/forward/rules.h"
#include "runtime/library/defined_operator.h"
#include "runtime/library/library.h"
#include "runtime/stable/errors.h"
#include "runtime/stable/form.h"
#include "runtime/stable/gradient.h"
#include "runtime/stable/pointwise.h"
#include "runtime/stable/tables.h"
#include "runtime/stable/values.h"

namespace opweave::stable {
namespace {

// What an operator's kernels need while it is there. Calls may be on their way when it goes: it
// stays.
struct Parts {
  std::optional<Pointwise> pointwise;
  std::optional<Form> form;
  std::optional<Gradient> gradient;
  BatchRuleDef batching{};
  ForwardRuleDef forward{};
  std::vector<int> inputs, outputs, refused;  // of `forward`
};

TensorList tensors_of(const IValue& value) {
  if (value.is_tensor()) return std::span<const Tensor>(&value.to_tensor(), 1);
  if (value.is_tensor_list()) return std::span<const Tensor>(value.to_tensor_list());
  return {};
}

std::vector<TensorList> tensors_of(const Stack& stack) {
  std::vector<TensorList> tensors;
  for (const IValue& value : stack) tensors.push_back(tensors_of(value));
  return tensors;
}

bool on_several_devices(const Stack& stack) {
  DevicesSeen devices;
  for (const IValue& value : stack) devices.see(tensors_of(value));
  return devices.differ();
}

// Of several results some may be left out.
void check_returned(const OperatorEntry& op, const Stack& results) {
  if (results.size() != 1) return;
  const bool left_out = results[0].is_none() && !op.record().returns[0].type.optional;
  OW_CHECK(!left_out, plain_name(op.full_name()), "(): the kernel returned no tensor");
  for (const Tensor& t : tensors_of(results[0]))
    OW_CHECK(t.defined(), plain_name(op.full_name()), "(): the kernel returned no tensor");
}

void run_kernel(const OwKernel& kernel, const OperatorEntry& op, Stack& stack) {
  const Arguments arguments(stack);
  OwResults results(op.record().returns.size());
  const OwStatus status = kernel.run(kernel.context, arguments.data(), arguments.size(), &results);
  if (status != OW_DONE) throw_kept(op.full_name());
  check_results(op, results.values, results.values.size());
  check_returned(op, results.values);
  stack = std::move(results.values);
}

void check_face(const OperatorEntry& op, const OwKernel& kernel) {
  if (kernel.face == nullptr) return;
  const RuntimeRecord taken(str("face", kernel.face));
  detail::KernelFace face;
  for (const ArgumentRecord& a : taken.record().arguments) face.arguments.push_back(a.type);
  for (const ReturnRecord& r : taken.record().returns) face.returns.push_back(r.type);
  detail::check_face(op, face);
}

// A kernel of one target reads memory of that, and of what the host can read of no dimensions; it
// writes its own.
void run_on_one_device(const OwKernel& kernel, const OperatorEntry& op, Stack& stack) {
  if (!on_several_devices(stack)) [[likely]]
    return run_kernel(kernel, op, stack);
  const Stack given = stack;
  const std::vector<TensorList> tensors = tensors_of(given);
  check_one_device(op, tensors);
  run_kernel(kernel, op, stack);
  for (const TensorList results : tensors_of(stack)) {
    for (const Tensor& result : results) {
      if (result.defined()) check_result_device(op, tensors, result.device());
    }
  }
}

bool is_composite(const OwKernel& kernel) { return std::string_view(kernel.target) == "composite"; }

// For every device that there is and will be.
void serve_all(OperatorEntry& op, const BoxedKernel& kernel) {
  for (DeviceType type = 0; type < kMaxDeviceTypes; ++type)
    op.set_boxed_kernel(backend_key(type), kernel);
}

void add_kernels(OperatorEntry& op, const OwOperator& table) {
  for (const OwKernel& kernel : list(table.kernels, table.num_kernels)) {
    OW_CHECK(kernel.run != nullptr && kernel.target != nullptr, "'", op.full_name(),
             "' has a kernel without a function or a target");
    check_face(op, kernel);
    if (is_composite(kernel)) {
      // Neither autograd nor forward mode sees the calls of what is constant.
      const bool constant = (table.flags & OW_CONSTANT) != 0;
      serve_all(op, [kernel, constant](const OperatorEntry& self, DispatchKeySet, Stack& stack) {
        const GradModeGuard recording(!constant && grad_enabled());
        const ExcludeDispatchKeys below(constant ? DispatchKeySet(forward_key())
                                                 : DispatchKeySet());
        run_kernel(kernel, self, stack);
      });
      continue;
    }
    const DispatchKey key = parse_key(kernel.target);
    OW_CHECK(!op.has_kernel(key), "'", op.full_name(), "' has two kernels for \"", kernel.target,
             "\"");
    const bool one_device =
        DispatchKeySet::backends().has(key) && (table.flags & OW_ANY_DEVICES) == 0;
    op.set_boxed_kernel(
        key, [kernel, one_device](const OperatorEntry& self, DispatchKeySet, Stack& stack) {
          one_device ? run_on_one_device(kernel, self, stack) : run_kernel(kernel, self, stack);
        });
  }
}

void add_pointwise(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if (table.pointwise == nullptr) return;
  const Pointwise& pointwise = parts.pointwise.emplace(op, *table.pointwise);
  using Run = void (Pointwise::*)(Stack&) const;
  const auto add = [&](DeviceType device, Run run) {
    op.set_boxed_kernel(backend_key(device),
                        [&pointwise, run](const OperatorEntry&, DispatchKeySet, Stack& stack) {
                          (pointwise.*run)(stack);
                        });
  };
  add(host_device().type, &Pointwise::run_on_cpu);
  add(kMeta, &Pointwise::run_on_meta);
}

// The operator of the library whose form it is; null if it is none.
const OperatorEntry* functional_of(const OwOperator& table, std::string_view prefix) {
  if (table.form == nullptr) return nullptr;
  OW_CHECK(table.form->operator_name != nullptr, "'", table.schema,
           "' is a form of an operator without a name");
  const std::string name = str(prefix, table.form->operator_name);
  const OperatorEntry* functional = find_operator(name);
  OW_CHECK(functional != nullptr, "'", prefix, table.schema, "' is a form of '", name,
           "', which its library has not defined before it");
  return functional;
}

void add_form(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if (table.form == nullptr || table.pointwise != nullptr) return;
  const Form& form = parts.form.emplace(op, *table.form, *op.record().functional);
  const auto run = [&form](const OperatorEntry&, DispatchKeySet, Stack& stack) { form.run(stack); };
  serve_all(op, run);
  op.set_boxed_kernel(batched_key(), run);
}

bool writes(const OperatorEntry& op) { return op.record().written() >= 0; }

BoxedKernel autograd_kernel(const OperatorEntry& op, const OwOperator& table, const Parts& parts) {
  if (parts.gradient) {
    return
        [&gradient = *parts.gradient](const OperatorEntry& self, DispatchKeySet keys,
                                      Stack& stack) { call_recorded(self, keys, stack, gradient); };
  }
  if (!writes(op))
    return (table.flags & OW_CONSTANT) != 0 ? &call_below_autograd : &call_without_gradient;
  // What an expression gives is constant where it has no gradient.
  return [constant = parts.pointwise.has_value()](const OperatorEntry& self, DispatchKeySet keys,
                                                  Stack& stack) {
    call_unrecorded(self, keys, stack, constant);
  };
}

void add_gradient(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if (table.gradient != nullptr) parts.gradient.emplace(op, *table.gradient);
  if (parts.form && parts.form->is_through()) return;
  if (writes(op)) op.set_boxed_kernel(DispatchKey::kADInplaceOrView, &call_tracked);
  op.set_boxed_kernel(DispatchKey::kAutograd, autograd_kernel(op, table, parts));
}

// How tangents follow; nothing of one that does not know.
std::optional<ForwardRule> forward_rule(const OperatorEntry& op, const OwOperator& table,
                                        const Parts& parts) {
  const int written = op.record().written();
  if (written >= 0 && op.record().arguments[static_cast<size_t>(written)].keyword_only)
    return ForwardRule::kOut;
  if (parts.gradient && (written < 0 || op.record().functional != nullptr))
    return parts.pointwise ? ForwardRule::kElements : ForwardRule::kReverse;
  if ((table.flags & OW_CONSTANT) == 0) return {};
  return written < 0 || parts.pointwise ? ForwardRule::kZero : ForwardRule::kLost;
}

// Tangents follow from the gradients, which are made of operators.
void add_forward_rule(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if (parts.form && parts.form->is_through()) return;
  const auto rule = forward_rule(op, table, parts);
  if (!rule) return;
  for (size_t i = 0; i < op.record().arguments.size(); ++i) {
    const TypeRecord& type = op.record().arguments[i].type;
    if (type.base == BaseType::tensor && (!parts.gradient || parts.gradient->differentiates(i)))
      parts.inputs.push_back(static_cast<int>(i));
    if (parts.gradient && parts.gradient->refuses(i)) parts.refused.push_back(static_cast<int>(i));
  }
  for (size_t i = 0; i < op.record().returns.size(); ++i) {
    const bool constant = parts.gradient && !parts.gradient->differentiates_result(i);
    if (op.record().returns[i].type.base == BaseType::tensor && !constant)
      parts.outputs.push_back(static_cast<int>(i));
  }
  const bool reads_written =
      (*rule == ForwardRule::kReverse || *rule == ForwardRule::kElements) && writes(op);
  parts.forward = {.op = &op,
                   .rule = *rule,
                   .by_functional = reads_written,
                   .inputs = parts.inputs,
                   .outputs = parts.outputs,
                   .refused = parts.refused,
                   .reads_written = reads_written};
  register_forward_rules({&parts.forward, 1});
}

// One that is made of calls, and whose results are constant.
void add_constancy(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if ((table.flags & OW_CONSTANT) == 0) return;
  op.set_boxed_kernel(DispatchKey::kAutograd, autograd_kernel(op, table, parts));
  add_forward_rule(op, table, parts);
}

BatchRule batch_rule(const OwOperator& table) {
  switch (table.batch_rule) {
    case OW_BATCH_POINTWISE:
      return BatchRule::kPointwise;
    case OW_BATCH_LEADING_DIMS:
      return BatchRule::kLeadingDims;
    case OW_BATCH_LOOP:
      return BatchRule::kLoop;
    case OW_BATCH_DIMS:
      return BatchRule::kDims;
    default:
      return table.pointwise != nullptr ? BatchRule::kPointwise : BatchRule::kLoop;
  }
}

// What becomes of examples that are numbers.
NumberDtype number_dtype_of(const Parts& parts) {
  if (!parts.pointwise) return NumberDtype::kApart;
  switch (parts.pointwise->promotion()) {
    case PointwisePromotion::kDefault:
      return NumberDtype::kCommon;
    case PointwisePromotion::kIntToFloat:
      return NumberDtype::kFloats;
    default:
      return NumberDtype::kOwn;
  }
}

// One that is made of calls has its gradient, its tangents and its examples from them.
bool is_made_of_calls(const OperatorEntry& op, const OwOperator& table) {
  const auto kernels = list(table.kernels, table.num_kernels);
  if (std::ranges::none_of(kernels, is_composite)) return false;
  OW_CHECK(kernels.size() == 1 && table.pointwise == nullptr && table.gradient == nullptr &&
               table.form == nullptr && table.batch_rule == OW_BATCH_DEFAULT,
           "'", op.full_name(),
           "' has a kernel of calls (\"composite\"), beside which there can be no other kernel, "
           "gradient or batch rule");
  return true;
}

void add_rules(OperatorEntry& op, const OwOperator& table) {
  auto* parts = new Parts;
  require_tangents(op);
  add_kernels(op, table);
  if (is_made_of_calls(op, table)) return add_constancy(op, table, *parts);
  add_pointwise(op, table, *parts);
  add_form(op, table, *parts);
  add_gradient(op, table, *parts);
  add_forward_rule(op, table, *parts);
  if (op.has_kernel(batched_key())) return;  // a form, or one with a kernel for an example
  parts->batching = {.op = &op, .rule = batch_rule(table), .numbers = number_dtype_of(*parts)};
  register_batch_rules({&parts->batching, 1});
}

// Roles of a later release say nothing to this one.
std::vector<ArgRole> roles_of(const OwOperator& table, size_t count) {
  std::vector<ArgRole> roles;
  for (size_t i = 0; table.roles != nullptr && i < count; ++i) {
    const bool known = table.roles[i] <= static_cast<uint8_t>(ArgRole::kProbability);
    roles.push_back(known ? static_cast<ArgRole>(table.roles[i]) : ArgRole::kPlain);
  }
  return roles;
}
static_assert(static_cast<int>(ArgRole::kDim) == OW_ROLE_DIM &&
              static_cast<int>(ArgRole::kSize) == OW_ROLE_SIZE &&
              static_cast<int>(ArgRole::kProbability) == OW_ROLE_PROBABILITY);

}  // namespace

std::string define(std::string_view prefix, const OwOperator& table) {
  const std::string schema = str(prefix, table.schema);
  const size_t arguments = RuntimeRecord(schema).record().arguments.size();
  const std::vector<ArgRole> roles = roles_of(table, arguments);
  OW_CHECK(arguments >= 64 || table.numbers >> arguments == 0, "'", schema, "' has no argument ",
           std::bit_width(table.numbers) - 1, ", for which the definition takes numbers");
  OperatorEntry& op = define_operator(
      schema,
      {.roles = roles, .numbers = table.numbers, .functional = functional_of(table, prefix)});
  try {
    add_rules(op, table);
  } catch (...) {
    undefine(op.full_name());
    throw;
  }
  return op.full_name();
}

void undefine(std::string_view full_name) {
  OperatorEntry* op = find_operator(full_name);
  if (op == nullptr) return;
  undefine_operator(full_name);
  for (int i = 0; i < kNumDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (op->has_kernel(key)) op->remove_kernel(key);
  }
}

}  // namespace opweave::stable
