// An operator library as an extension of PyTorch: model in, the files of a Python package out.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/emit/emit.h"

namespace opweave::codegen {

// Reports every operator that PyTorch cannot be given, with the feature that is in the way.
void check_torch(const Model& model, DiagnosticSink& sink);
// Of a model that passes. `options.library` names the package, and the namespace of its operators.
std::vector<EmittedFile> emit_torch(const Model& model, const EmitOptions& options);

}  // namespace opweave::codegen
