// What PyTorch's generator asks of a schema beyond its grammar.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/torch/schema_parts.h"

namespace opweave::codegen::torch {

// Reports the first thing that is wrong: the others often follow from it.
bool check_schema(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
                  DiagnosticSink& sink);

// Of one argument by itself, also of those that kernels precompute: type, alias and default.
bool check_argument(const Argument& argument, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
