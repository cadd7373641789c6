// What roles of arguments say of an operator.
#include "codegen/model/declarations/roles.h"

#include <algorithm>

namespace opweave::codegen {

bool takes_one_tensor_first(const Operator& op) {
  const std::vector<uint16_t> tensors = op.tensor_arguments();
  return tensors.size() == 1 && tensors[0] == 0;
}

bool counts_dimensions(const Operator& op) {
  if (op.policies->batching == Batching::sized || op.policies->batching == Batching::dims)
    return true;
  if (op.policies->find_role(Role::new_dim) >= 0) return true;
  if (op.policies->batching != Batching::automatic || op.is_expr() || !op.effects.mutated.empty())
    return false;
  return takes_one_tensor_first(op) && (op.has_hardware_kernel() || op.is_view());
}

bool speaks_of_dims(const Operator& op, const Argument& argument) {
  switch (op.policies->role(static_cast<size_t>(&argument - op.schema.arguments.data()))) {
    case Role::dim:
    case Role::dims_or_all:
    case Role::order:
    case Role::new_dim:
    case Role::sizes:
      return true;
    default:
      return false;
  }
}

std::optional<int> fixed_length(const Operator& op, const Argument& argument) {
  const auto names_dims = [&](const Argument& a) { return a.type.list && speaks_of_dims(op, a); };
  if (!argument.type.list || !argument.type.size || argument.type.base == BaseType::boolean ||
      std::ranges::any_of(op.schema.arguments, names_dims)) {
    return std::nullopt;
  }
  return static_cast<int>(*argument.type.size);
}

bool takes_empty_list(const Argument& argument) {
  return argument.default_value && argument.default_value->text == "[]";
}

}  // namespace opweave::codegen
