// What follows from an expression: how its arguments are read, promotion, dtypes.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// Of what is reported of an expression.
Context in_expr(const Operator& op, DiagnosticSink& sink);

// Whether the expression computes with complex numbers; of others it has no conjugates.
bool takes_complex(const OperatorEntry& entry);

Elements elements_of(const ElementNode& expr, const Operator& op, const OperatorEntry& entry,
                     DiagnosticSink& sink);
// Of any operator with an entry; its elements are known.
DTypes dtypes_of(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink);

}  // namespace opweave::codegen
