// The key `dispatch` of native_functions.yaml: which kernel is for which backend.
#pragma once

#include "codegen/torch/entry_values.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

// Of kernels that say none.
constexpr std::string_view kDefaultNamespace = "at";
// `a::b` of `a::b::kernel`.
std::string_view namespace_of(std::string_view kernel);

void read_dispatch(const LocatedText& key, const YamlNode& value, EntryValues& values,
                   NativeFunction& function);

// Whether the keys that the table has, or lacks, make sense for the operator.
bool check_dispatch(const NativeFunction& function, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
