// Roles of arguments: which operators have to say them.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/operator.h"

namespace opweave::codegen {

// Whether the first argument is its only tensor.
bool takes_one_tensor_first(const Operator& op);
// Whether a batch of examples runs at once, with the dimensions that arguments name counted behind
// that of the examples: operators of one tensor with a kernel of their own, views, and those that
// say so.
bool counts_dimensions(const Operator& op);
// Reports every int of such an operator that may name a dimension and does not say whether it does.
void check_roles(const Operator& op, DiagnosticSink& sink);

}  // namespace opweave::codegen
