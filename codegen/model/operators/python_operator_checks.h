// What the key `python_operator` asks of an operator.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Gives the operators those of Python that their entries name, if they can be called so and nobody
// else is. `in_library`: Python's operators are Opweave's own, and no library adds to them.
void set_python_operators(const std::vector<Draft>& drafts, bool in_library, DiagnosticSink& sink);

}  // namespace opweave::codegen
