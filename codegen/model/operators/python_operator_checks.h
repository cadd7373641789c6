// What the key `python_operator` asks of an operator.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Whether operators can be called by those of Python that their entries name, and nobody else is.
// `in_library`: Python's operators are Opweave's own, and no library adds to them.
void check_python_operators(const std::vector<Draft>& drafts, bool in_library,
                            DiagnosticSink& sink);

}  // namespace opweave::codegen
