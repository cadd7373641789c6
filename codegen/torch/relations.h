// What the entries of native_functions.yaml ask of one another.
#pragma once

#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

// Delegates, forms of one computation, operators that are generated, copies of views. Operators of
// whose family some entry is wrong already are left out: the one would follow from the other.
// The forms that are right are returned.
std::vector<FormGroup> check_relations(const NativeFunctions& functions, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
