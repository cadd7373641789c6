// Views, their copies, and what makes a tensor a view of itself in place.
#pragma once

#include "codegen/torch/derivatives.h"
#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

// Of groups that are right by themselves.
void check_views(const std::vector<FormGroup>& groups, DiagnosticSink& sink);

// Of operators that are views by their names: their arguments are kept for backward passes. Not of
// those whose results have no gradient, as `derivatives` says; without that file it is null.
void check_replayed(const std::vector<FormGroup>& groups, const NativeDerivatives* derivatives,
                    DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
