// Reading and checking of roles.
#include "codegen/model/operators/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/entries/keys.h"
#include "codegen/model/operators/builder.h"

namespace opweave::codegen {
namespace {

// What a role is for.
bool fits(Role role, const Type& type) {
  switch (role) {
    case Role::dims_or_all:
    case Role::order:
    case Role::sizes:
      return type.base == BaseType::integer && type.list;
    case Role::index:
      return type.base == BaseType::integer || type.is_tensor_like();
    case Role::probability:
      return type.base == BaseType::floating || type.is_tensor();
    case Role::training:
      return type.base == BaseType::boolean;
    case Role::statistics:
      return type.is_tensor_like();
    default:
      return type.base == BaseType::integer;
  }
}

}  // namespace

void OperatorBuilder::set_roles(Operator& op, const OperatorEntry& entry) {
  op.roles.resize(op.schema.arguments.size());
  for (const auto& [name, word] : entry.roles) {
    const int index = argument_index(op, name.text, name.whole());
    if (index < 0) continue;
    const auto found = std::find(std::begin(words::kRoles), std::end(words::kRoles), word.text);
    const auto role = static_cast<Role>(found - std::begin(words::kRoles) + 1);
    const Type& type = op.schema.arguments[index].type;
    if (fits(role, type)) {
      op.roles[index] = role;
    } else {
      sink_
          .error(Code::type_mismatch, word.whole(),
                 fmt::format("'{}' cannot be the role '{}': it is of type {}", name.text, word.text,
                             print(type)))
          .note(op.schema.arguments[index].span, "it is declared here");
    }
  }
}

bool takes_one_tensor_first(const Operator& op) {
  const std::vector<uint16_t> tensors = op.tensor_arguments();
  return tensors.size() == 1 && tensors[0] == 0;
}

bool counts_dimensions(const Operator& op) {
  if (op.batching == Batching::sized || op.batching == Batching::dims) return true;
  if (op.find_role(Role::new_dim) >= 0) return true;
  if (op.batching != Batching::automatic || op.is_expr() || !op.mutated.empty()) return false;
  return takes_one_tensor_first(op) && (op.has_hardware_kernel() || op.is_view());
}

bool speaks_of_dims(const Operator& op, const Argument& argument) {
  switch (op.role(static_cast<size_t>(&argument - op.schema.arguments.data()))) {
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

void check_roles(const Operator& op, DiagnosticSink& sink) {
  if (!counts_dimensions(op)) return;
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    if (argument.type.base != BaseType::integer || op.role(i) != Role::unsaid) continue;
    sink.error(Code::missing_role, argument.span,
               fmt::format("'{}' may name a dimension of '{}': say in 'roles' whether it does",
                           argument.name, op.schema.arguments[0].name))
        .note({},
              fmt::format("add `roles: {{{}: dim}}`, or `number` if it does not", argument.name));
  }
}

}  // namespace opweave::codegen
