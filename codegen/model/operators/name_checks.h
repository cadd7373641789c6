// Checks of names: those that C++ or Python cannot spell, and those too easily mixed up.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// The names of the operator, its arguments and its results.
void check_names(const OperatorEntry& entry, DiagnosticSink& sink);
// Base names are names of files, and not every file system tells `A` from `a`; nor does every
// reader tell the overload `f.Tensor` from `f.tensor`.
void check_case(const OperatorTable& table, DiagnosticSink& sink);

}  // namespace opweave::codegen
