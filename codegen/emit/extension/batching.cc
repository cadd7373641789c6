// What the rules for batches of the core are in packages for other frameworks.
#include "codegen/emit/extension/batching.h"

#include <algorithm>

#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// Dimensions of the result, orders and sizes are not counted there.
bool counts_only_dims(const Operator& op) {
  for (const Role role : {Role::new_dim, Role::order, Role::sizes}) {
    if (op.policies->find_role(role) >= 0) return false;
  }
  return true;
}

}  // namespace

BatchWay batch_way(const Operator& op) {
  if (op.policies->batching == Batching::none) return BatchWay::none;
  const bool has_list = std::ranges::any_of(
      op.schema.arguments, [](const Argument& a) { return a.type.is_tensor_list(); });
  const BatchRule rule = op.lowered->batching.rule;
  if (has_list) return BatchWay::loop;
  if (rule == BatchRule::leading_dims) return BatchWay::leading;
  if (rule == BatchRule::pointwise) return BatchWay::pointwise;
  return rule == BatchRule::dims && counts_only_dims(op) ? BatchWay::dims : BatchWay::loop;
}

std::vector<uint16_t> named_dims(const Operator& op) {
  std::vector<uint16_t> found;
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    const bool dim = op.policies->role(i) == Role::dim || op.policies->role(i) == Role::dims_or_all;
    if (dim && op.schema.arguments[i].type.base == BaseType::integer) found.push_back(i);
  }
  return found;
}

}  // namespace opweave::codegen
