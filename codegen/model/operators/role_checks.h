// Roles of arguments: as entries say them, and which operators have to.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

std::vector<Role> roles_of(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink);

// Reports every int of an operator that counts dimensions (declarations/roles.h) that may name one
// and does not say whether it does.
void check_roles(const Operator& op, DiagnosticSink& sink);

}  // namespace opweave::codegen
