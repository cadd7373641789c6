// An operator library as a package for JAX: model in, the files of a Python package out.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/emit/output/emission.h"

namespace opweave::codegen {

// Reports every operator that JAX cannot be given, with the feature that is in the way.
void check_jax(const Model& model, DiagnosticSink& sink);
// Of a model that passes. `options.library` names the operators; the package is `<library>_jax`.
std::vector<EmittedFile> emit_jax(const Model& model, const EmitOptions& options);

// `gen --emit=jax`.
const Emission& jax_emission();

}  // namespace opweave::codegen
