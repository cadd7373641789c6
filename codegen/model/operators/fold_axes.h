// The axes of an entry that folds: which dimensions, and along which of them arguments lie.
#pragma once

#include <string>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/syntax.h"
#include "codegen/model/declarations/fold.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/fold_entry.h"

namespace opweave::codegen {

// `result0`, or the name that the schema gives.
std::string name_of_result(const Schema& schema, size_t index);

// Fills `over`, `arguments`, `whole` and `keepdim`, and `result_axes` where an entry says them: 0
// of others. False after a report.
bool read_fold_axes(const Operator& op, const FoldEntry& entry, SyntaxArena& syntax,
                    FoldFormula& fold, DiagnosticSink& sink);

}  // namespace opweave::codegen
