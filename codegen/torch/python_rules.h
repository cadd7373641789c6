// What PyTorch's generator cannot make functions of C++ and Python of.
#pragma once

#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

// Of groups that are right by themselves.
void check_functions(const std::vector<FormGroup>& groups, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
