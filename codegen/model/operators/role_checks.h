// Which operators have to say the roles of their arguments.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Reports every int of an operator that counts dimensions (declarations/roles.h) that may name one
// and does not say whether it does.
void check_roles(const Operator& op, DiagnosticSink& sink);

}  // namespace opweave::codegen
