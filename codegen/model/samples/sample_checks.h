// Whether generated tests know how to call every public operator.
#pragma once

#include <vector>

#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Reports operators that have no samples and need them: see docs/yaml.md.
void check_samples(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
