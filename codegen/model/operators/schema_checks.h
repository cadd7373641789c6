// Checks of the sense of a schema: aliases, defaults, order and names.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

void check_schema(const Schema& schema, DiagnosticSink& sink);
// Only the arguments: their defaults and their order.
void check_parameters(const Schema& schema, DiagnosticSink& sink);

}  // namespace opweave::codegen
