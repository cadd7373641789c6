// Whether `kernels` says of a function for all targets what becomes of the gradient.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/operators/builder.h"

namespace opweave::codegen {

// `composite` is differentiated through, `every_target` is not. When all forms know their
// gradients.
void check_kernel_statements(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
