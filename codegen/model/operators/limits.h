// Limits of schemas: what is larger is a slip, or an attack.
#pragma once

#include <vector>

#include "codegen/model/declarations/table.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// False if an operator is beyond them: nothing more is to be asked then.
bool check_limits(const std::vector<Draft>& drafts, DiagnosticSink& sink);

// Of what an expr reads, and the gradients that are derived of it: kernels of elements have room
// for so many tensors and numbers.
void check_operands(const OperatorTable& table, DiagnosticSink& sink);

}  // namespace opweave::codegen
