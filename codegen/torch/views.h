// Views, their copies, and what makes a tensor a view of itself in place.
#pragma once

#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

// Of groups that are right by themselves.
void check_views(const std::vector<FormGroup>& groups, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
