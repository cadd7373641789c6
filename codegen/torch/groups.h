// The forms of one computation: functional, in place, into out arguments, writing others.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

struct FormGroup {
  // By SchemaKind; null where there is none.
  std::array<const NativeFunction*, 5> forms = {};
  std::vector<const NativeFunction*> members;      // as they stand in the file
  const NativeFunction* generated_from = nullptr;  // whose forms the generator adds
  std::vector<std::string> generated;       // names of operators that only the generator makes
  std::vector<SchemaKind> generated_kinds;  // of these
  std::vector<Schema> generated_schemas;    // the same
  bool is_whole = false;                    // functional and out form, perhaps generated

  const NativeFunction* form(SchemaKind kind) const { return forms[static_cast<size_t>(kind)]; }
  bool has(SchemaKind kind) const;  // also a generated one
};

// The functional or out form that the generator makes of another form.
Schema generated_schema(const NativeFunction& base, const OperatorName& name, SchemaKind kind);

// Everything wrong with groups is reported; those that are returned are sound.
std::vector<FormGroup> group_forms(const std::vector<const NativeFunction*>& functions,
                                   const NativeFunctions& all, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
