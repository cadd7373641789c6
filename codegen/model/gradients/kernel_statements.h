// Whether `kernels` says of a function for all targets what becomes of the gradient.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/derivative_entry.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// `composite` is differentiated through, `every_target` is not. When all forms know their
// gradients.
void check_kernel_statements(const std::vector<Draft>& drafts, DiagnosticSink& sink);
// An in-place form has an entry of derivatives.yaml, and its functional form is differentiated
// through what it calls.
void refuse_beside_composite(DiagnosticSink& sink, const DerivativeEntry& entry,
                             const Operator& inplace);

}  // namespace opweave::codegen
