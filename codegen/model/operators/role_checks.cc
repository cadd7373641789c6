// Reading and checking of roles.
#include "codegen/model/operators/role_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/declarations/roles.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/operators/entry_arguments.h"

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

// What `over` names are dimensions, whether `roles` says so or not.
void add_fold_role(const Operator& op, const OperatorEntry& entry, std::vector<Role>& roles) {
  const int index = entry.fold.over ? op.schema.find_argument(entry.fold.over->text) : -1;
  if (index < 0 || roles[index] != Role::unsaid) return;
  const Type& type = op.schema.arguments[index].type;
  if (type.base == BaseType::integer) roles[index] = type.list ? Role::dims_or_all : Role::dim;
}

}  // namespace

std::vector<Role> roles_of(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  std::vector<Role> roles(op.schema.arguments.size());
  for (const auto& [name, word] : entry.roles) {
    const int index = argument_index(op, name, sink);
    if (index < 0) continue;
    const auto found = std::find(std::begin(words::kRoles), std::end(words::kRoles), word.text);
    const auto role = static_cast<Role>(found - std::begin(words::kRoles) + 1);
    const Type& type = op.schema.arguments[index].type;
    if (fits(role, type)) {
      roles[index] = role;
    } else {
      sink.error(Code::type_mismatch, word.whole(),
                 fmt::format("'{}' cannot be the role '{}': it is of type {}", name.text, word.text,
                             print(type)))
          .note(op.schema.arguments[index].span, "it is declared here");
    }
  }
  add_fold_role(op, entry, roles);
  return roles;
}

void check_roles(const Operator& op, DiagnosticSink& sink) {
  if (!counts_dimensions(op)) return;
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    if (argument.type.base != BaseType::integer || op.policies->role(i) != Role::unsaid) continue;
    sink.error(Code::missing_role, argument.span,
               fmt::format("'{}' may name a dimension of '{}': say in 'roles' whether it does",
                           argument.name, op.schema.arguments[0].name))
        .note({},
              fmt::format("add `roles: {{{}: dim}}`, or `number` if it does not", argument.name));
  }
}

}  // namespace opweave::codegen
