// An operator library for every release: model in, the files of one that speaks the stable
// interface out.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/emit/output/emission.h"

namespace opweave::codegen {

// Reports every operator that the stable interface cannot describe, with what is in the way.
void check_stable(const Model& model, DiagnosticSink& sink);
// Of a model that passes. `options.library` names the library; `included` are the names
// of the operators' headers that its handwritten kernels include (kernel_includes.h).
std::vector<EmittedFile> emit_stable(const Model& model, const EmitOptions& options,
                                     const std::set<std::string>& included = {});

// `gen --emit=stable`.
const Emission& stable_emission();

}  // namespace opweave::codegen
