// Checks of the sense of a schema: aliases, defaults, order and names.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

void check_schema(const Schema& schema, DiagnosticSink& sink);
// Only the arguments: their defaults and their order.
void check_parameters(const Schema& schema, DiagnosticSink& sink);

// The arguments that are written, and the results that view an argument. Bad annotations have been
// reported by check_schema.
std::vector<uint16_t> mutated_arguments(const Schema& schema);
std::vector<ViewOf> views_of(const Schema& schema);

}  // namespace opweave::codegen
