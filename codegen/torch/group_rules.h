// What the forms of one computation ask of one another.
#pragma once

#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

// Reports the first thing that is wrong.
bool check_group(const FormGroup& group, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
