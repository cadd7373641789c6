// What the entries of native_functions.yaml ask of one another.
#pragma once

#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

// Delegates, forms of one computation, operators that are generated, copies of views. Operators of
// whose family some entry is wrong already are left out: the one would follow from the other.
void check_relations(const NativeFunctions& functions, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
