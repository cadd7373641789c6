// Kernels for single targets, from what operators are.
#include "codegen/model/lowered/hardware_kernel.h"

#include <algorithm>

#include "codegen/model/lowered/out_dtypes.h"
#include "codegen/model/lowered/shared_kernel.h"

namespace opweave::codegen {
namespace {

bool has_rule(const Operator& op) {
  if (!op.is_emitted() || op.rule == nullptr || !op.has_hardware_kernel()) return false;
  return !op.rule->data || !op.rule->requirements.empty() || !checked_dtypes(op).empty();
}

bool asks_for_a_device(const FormulaNode& node) {
  if (node.kind == FormulaKind::property && node.property == Property::device) return true;
  return std::ranges::any_of(
      node.operands, [](const FormulaNode* operand) { return asks_for_a_device(*operand); });
}

bool knows_devices(const Operator& op) {
  return op.rule != nullptr &&
         std::ranges::any_of(op.rule->requirements, [](const Requirement& requirement) {
           return asks_for_a_device(*requirement.condition);
         });
}

// Along a dimension or by indices.
bool moves_elements(const Operator& op) {
  const auto indices = [](const Argument& a) {
    return a.type.is_tensor_list() && a.type.element_optional;
  };
  return op.policies->find_role(Role::dim) >= 0 ||
         std::ranges::any_of(op.schema.arguments, indices);
}

bool takes_several_tensors(const Operator& op) {
  const std::vector<uint16_t> tensors = op.tensor_arguments();
  return tensors.size() > 1 ||
         (tensors.size() == 1 && op.schema.arguments[tensors[0]].type.is_tensor_list());
}

// Whether a new tensor, or a list of them, is what it gives.
bool makes_tensors(const Operator& op) {
  const auto& returns = op.schema.returns;
  return op.effects.mutated.empty() && returns.size() == 1 &&
         (returns[0].type.is_tensor() || returns[0].type.is_tensor_list());
}

KernelAdapter adapter_of(const Operator& op, bool has_rule) {
  if (has_rule) return op.fills_results() ? KernelAdapter::fills : KernelAdapter::checked;
  if (op.rule == nullptr && takes_several_tensors(op)) return KernelAdapter::one_device;
  return makes_tensors(op) ? KernelAdapter::returns : KernelAdapter::none;
}

// Whether the rule says all that a call without elements gives: nothing, what it fills, or the
// first argument. What a kernel makes itself, a number or a tensor, nobody else can say.
bool rule_says_all(const Operator& op) {
  if (op.fills_results() || op.schema.returns.empty()) return true;
  const auto& returns = op.schema.returns;
  return returns.size() == 1 && returns[0].type.is_mutated() && returns[0].type.is_tensor() &&
         op.effects.mutated.front() == 0;
}

MetaWay meta_way(const Operator& op) {
  if (op.rule == nullptr || !op.has_hardware_kernel()) return MetaWay::none;
  if (op.rule->data) return MetaWay::needs_data;
  return rule_says_all(op) ? MetaWay::rule : MetaWay::none;
}

}  // namespace

HardwareKernel lower_hardware_kernel(const Operator& op) {
  HardwareKernel kernel;
  kernel.knows_devices = knows_devices(op);
  if (op.computation->implementation != Implementation::kernels) return kernel;
  kernel.has_rule = has_rule(op);
  kernel.adapter = adapter_of(op, kernel.has_rule);
  kernel.meta = meta_way(op);
  kernel.moves_elements = !op.fills_results() && moves_elements(op);
  kernel.fills_out = op.fills_results() && op.has_derived_out();
  if (kernel.fills_out) {
    kernel.computes_as_out = computes_as_out(op);
    kernel.out_dtype = out_dtype(op);
  }
  return kernel;
}

}  // namespace opweave::codegen
