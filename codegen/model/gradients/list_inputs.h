// What the gradient of an argument that is a list of tensors may be.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/derivative_entry.h"

namespace opweave::codegen {

// Whether a line says of its inputs what can be said of them; else it is reported.
bool check_list_inputs(const Operator& op, const DerivativeEntry::Line& line,
                       const std::vector<uint16_t>& inputs, DiagnosticSink& sink);

}  // namespace opweave::codegen
