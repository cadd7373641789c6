// What the keys of one entry of native_functions.yaml ask of one another.
#pragma once

#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

// Of an entry that could be read whole; the first thing that is wrong.
bool check_entry(const NativeFunction& function, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
