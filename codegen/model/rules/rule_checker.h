// Types the rules of entries.
#pragma once

#include "codegen/model/declarations/storage.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Gives the operators their rules; everything wrong is reported.
// Rules of what has no kernel for a single target call `operators`, too.
void check_rules(ModelStorage& storage, const std::vector<Draft>& drafts,
                 FormulaEnvironment& operators, DiagnosticSink& sink);

// That of one operator; null if it has none, or after a report.
const Rule* check_rule(ModelStorage& storage, const Draft& draft, FormulaEnvironment& operators,
                       DiagnosticSink& sink);

// Reports operators with kernels whose results no rule describes.
void check_rules_given(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
