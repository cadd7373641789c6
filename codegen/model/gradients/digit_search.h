// Gradients of pointwise operators that lose their digits: near zeros of what they divide by, and
// at the ends of what floats hold.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/table.h"

namespace opweave::codegen {

// Of the operators of this library, by each of their tensors.
void check_digits(const std::vector<const Operator*>& operators, DiagnosticSink& sink);

}  // namespace opweave::codegen
