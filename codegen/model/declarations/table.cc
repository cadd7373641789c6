// The table of operators.
#include "codegen/model/declarations/table.h"

#include <fmt/format.h>

namespace opweave::codegen {

const Operator* OperatorTable::find(std::string_view full_name) const {
  auto found = by_full_name_.find(full_name);
  return found == by_full_name_.end() ? nullptr : found->second;
}

const OperatorFamily* OperatorTable::family(std::string_view base_name) const {
  auto found = families_.find(base_name);
  return found == families_.end() ? nullptr : &found->second;
}

std::string OperatorTable::free_name(const std::string& base_name) const {
  std::string name = base_name;
  for (int i = 2; family(name) != nullptr; ++i) name = fmt::format("{}_{}", base_name, i);
  return name;
}

bool OperatorTable::add(Operator* op) {
  if (!by_full_name_.emplace(op->name.full, op).second) return false;
  order_.push_back(op);
  OperatorFamily& family = families_[op->name.base];
  family.base_name = op->name.base;
  family.overloads.push_back(op);
  return true;
}

}  // namespace opweave::codegen
