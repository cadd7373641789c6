// How operators come to results: from the keys `expr`, `composite` and `kernels`, and from files of
// targets.
#pragma once

#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// `known_targets` are those that `kernels` may name, besides kKernelWords; empty: any.
Computation computation_of(const Operator& op, const OperatorEntry& entry,
                           const std::vector<std::string>& known_targets, DiagnosticSink& sink);
// Adds a target whose file names the operator as `name`.
void add_target(Computation& computation, const Operator& op, std::string_view target,
                const LocatedText& name, DiagnosticSink& sink);

}  // namespace opweave::codegen
