// What the rule of an operator has to say whose kernel is `view`.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/rules/rule.h"

namespace opweave::codegen {

// The view itself: sizes, strides and offset in the memory of one tensor, and nothing else. Of an
// in-place operator, the call of such a view with its own arguments.
void check_view(const Operator& op, const Rule& rule, DiagnosticSink& sink);

}  // namespace opweave::codegen
