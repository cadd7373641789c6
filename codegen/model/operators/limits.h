// Limits of schemas: what is larger is a slip, or an attack.
#pragma once

#include <vector>

#include "codegen/model/operators/builder.h"

namespace opweave::codegen {

// False if an operator is beyond them: nothing more is to be asked then.
bool check_limits(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
