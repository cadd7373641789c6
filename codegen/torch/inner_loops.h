// The key `ufunc_inner_loop` of native_functions.yaml: `Generic: add (AllAndComplex, Half)`.
#pragma once

#include "codegen/torch/entry_values.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

void read_inner_loops(const LocatedText& key, const YamlNode& value, EntryValues& values,
                      NativeFunction& function);

bool check_inner_loops(const NativeFunction& function, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
