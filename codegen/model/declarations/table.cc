// The table of operators, and the small questions that operators and derivatives answer themselves.
#include "codegen/model/declarations/table.h"

#include <algorithm>

#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {

const Operator* OperatorTable::find(std::string_view full_name) const {
  auto found = by_full_name_.find(full_name);
  return found == by_full_name_.end() ? nullptr : found->second;
}

const OperatorFamily* OperatorTable::family(std::string_view base_name) const {
  auto found = families_.find(base_name);
  return found == families_.end() ? nullptr : &found->second;
}

bool OperatorTable::add(Operator* op) {
  if (!by_full_name_.emplace(op->full_name, op).second) return false;
  order_.push_back(op);
  OperatorFamily& family = families_[op->base_name];
  family.base_name = op->base_name;
  family.overloads.push_back(op);
  return true;
}

bool Operator::has_target(std::string_view target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

bool Operator::has_hardware_kernel() const {
  return implementation == Implementation::kernels &&
         std::ranges::any_of(targets, [](const std::string& target) {
           const KernelWord* word = find_kernel_word(target);
           return word == nullptr || word->hardware;
         });
}

bool Operator::loses_gradient() const {
  const Operator& source = functional != nullptr ? *functional : *this;
  if (mutated.empty() || form == Form::out) return false;
  return differentiability == Differentiability::not_implemented ||
         (differentiability == Differentiability::none && !source.is_expr());
}

int Operator::find_role(Role role) const {
  const auto found = std::ranges::find(roles, role);
  return found == roles.end() ? -1 : static_cast<int>(found - roles.begin());
}

std::vector<uint16_t> Operator::tensor_arguments() const {
  std::vector<uint16_t> indices;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].type.is_tensor_like()) indices.push_back(static_cast<uint16_t>(i));
  }
  return indices;
}

std::string out_name(const Schema& schema, size_t index) {
  const std::string& name = schema.returns[index].name;
  if (schema.returns.size() == 1) return "out";
  return name.empty() ? "out" + std::to_string(index) : name;
}

const DerivativeFormula* Derivative::formula_of(uint16_t argument) const {
  for (const DerivativeFormula& formula : formulas) {
    if (std::find(formula.inputs.begin(), formula.inputs.end(), argument) != formula.inputs.end()) {
      return &formula;
    }
  }
  return nullptr;
}

Property saved_property(Property property) {
  switch (property) {
    case Property::size:
    case Property::dim:
    case Property::numel:
      return Property::sizes;
    case Property::stride:
      return Property::strides;
    default:
      return property;
  }
}

}  // namespace opweave::codegen
