// Arguments that keys of an entry name.
#pragma once

#include <string_view>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

// The index of the argument; -1 after a report.
int argument_index(const Operator& op, const LocatedText& name, DiagnosticSink& sink);
// The same for an argument that has to be a tensor; `what` it is named for.
int tensor_argument_index(const Operator& op, const LocatedText& name, std::string_view what,
                          DiagnosticSink& sink);

}  // namespace opweave::codegen
