// One operator of a library: its kernels and rules, from the table.
#include "runtime/stable/operator.h"

#include <optional>
#include <vector>

#include "runtime/batching/rules.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"
#include "runtime/forward/dual.h"
#include "runtime/forward/rules.h"
#include "runtime/library/defined_operator.h"
#include "runtime/library/library.h"
#include "runtime/stable/errors.h"
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
  std::optional<Gradient> gradient;
  BatchRuleDef batching{};
  ForwardRuleDef forward{};
  std::vector<int> inputs, outputs;  // of `forward`
};

void run_kernel(const OwKernel& kernel, const OperatorEntry& op, Stack& stack) {
  const Arguments arguments(stack);
  OwResults results(op.record().returns.size());
  const OwStatus status = kernel.run(kernel.context, arguments.data(), arguments.size(), &results);
  if (status != OW_DONE) throw_kept(op.full_name());
  check_results(op, results.values, results.values.size());
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

void add_kernels(OperatorEntry& op, const OwOperator& table) {
  for (const OwKernel& kernel : list(table.kernels, table.num_kernels)) {
    OW_CHECK(kernel.run != nullptr && kernel.target != nullptr, "'", op.full_name(),
             "' has a kernel without a function or a target");
    check_face(op, kernel);
    op.set_boxed_kernel(parse_key(kernel.target),
                        [kernel](const OperatorEntry& self, DispatchKeySet, Stack& stack) {
                          run_kernel(kernel, self, stack);
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

bool writes(const OperatorEntry& op) { return op.record().written() >= 0; }

void add_gradient(OperatorEntry& op, const OwOperator& table, Parts& parts) {
  if (table.gradient != nullptr) parts.gradient.emplace(op, *table.gradient);
  if (writes(op)) {
    op.set_boxed_kernel(DispatchKey::kADInplaceOrView, &call_tracked);
  } else if (!parts.gradient) {
    if ((table.flags & OW_CONSTANT) == 0)
      op.set_boxed_kernel(DispatchKey::kAutograd, &call_without_gradient);
    return;
  }
  const Gradient* gradient = parts.gradient ? &*parts.gradient : nullptr;
  op.set_boxed_kernel(DispatchKey::kAutograd,
                      [gradient](const OperatorEntry& self, DispatchKeySet keys, Stack& stack) {
                        call_recorded(self, keys, stack, gradient);
                      });
}

// Tangents follow from the gradients, which are made of operators.
void add_forward_rule(OperatorEntry& op, Parts& parts) {
  if (!parts.gradient || writes(op)) return;
  for (size_t i = 0; i < op.record().arguments.size(); ++i) {
    const TypeRecord& type = op.record().arguments[i].type;
    if (type.base == BaseType::tensor && parts.gradient->differentiates(i))
      parts.inputs.push_back(static_cast<int>(i));
  }
  for (size_t i = 0; i < op.record().returns.size(); ++i) {
    if (op.record().returns[i].type.base == BaseType::tensor)
      parts.outputs.push_back(static_cast<int>(i));
  }
  parts.forward = {
      .op = &op, .rule = ForwardRule::kReverse, .inputs = parts.inputs, .outputs = parts.outputs};
  register_forward_rules({&parts.forward, 1});
}

BatchRule batch_rule(const OwOperator& table) {
  switch (table.batch_rule) {
    case OW_BATCH_POINTWISE:
      return BatchRule::kPointwise;
    case OW_BATCH_LEADING_DIMS:
      return BatchRule::kLeadingDims;
    case OW_BATCH_LOOP:
      return BatchRule::kLoop;
    default:
      return table.pointwise != nullptr ? BatchRule::kPointwise : BatchRule::kLoop;
  }
}

void add_rules(OperatorEntry& op, const OwOperator& table) {
  auto* parts = new Parts;
  require_tangents(op);
  add_kernels(op, table);
  add_pointwise(op, table, *parts);
  add_gradient(op, table, *parts);
  add_forward_rule(op, *parts);
  parts->batching = {.op = &op, .rule = batch_rule(table)};
  register_batch_rules({&parts->batching, 1});
}

}  // namespace

std::string define(std::string_view schema, const OwOperator& table) {
  OperatorEntry& op = define_operator(schema);
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
