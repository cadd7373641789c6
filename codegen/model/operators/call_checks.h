// What formulas over operators come to when they are followed to the end: rings, which never end,
// and sums of calls that no program would.
#pragma once

#include <vector>

#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Composites in a ring lose their formula, so that nobody follows it.
void check_calls(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
