// What formulas over operators come to when they are followed to the end: rings, which never end,
// and sums of calls that no program would.
#pragma once

#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Of composites, before operators are given them. Those in a ring lose their formula, so that
// nobody follows it.
void check_composites(const std::vector<Draft>& drafts,
                      std::unordered_map<const Operator*, Formulas>& formulas,
                      DiagnosticSink& sink);

// Of rules that look like formulas, batches and references.
void check_calls(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
