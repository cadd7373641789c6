// The key `precomputed` of native_functions.yaml: `dim -> int dim, int more`.
#pragma once

#include "codegen/torch/entry_values.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

void read_precomputed(const LocatedText& key, const YamlNode& value, EntryValues& values,
                      NativeFunction& function);

}  // namespace opweave::codegen::torch
