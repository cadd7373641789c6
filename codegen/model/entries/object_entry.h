// The entries of ops.yaml that declare types of objects.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/object_declaration.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// Whether an entry declares a type, and no operator.
bool is_object_entry(const YamlNode& entry);
// Those of a file that are whole, added to `declared`; schemas may use them from now on.
void read_object_entries(const YamlNode& root, bool imported,
                         std::vector<ObjectDeclaration>& declared, DiagnosticSink& sink);

}  // namespace opweave::codegen
