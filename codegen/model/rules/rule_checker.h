// Types the rules of entries.
#pragma once

#include "codegen/model/operators/builder.h"
#include "codegen/model/storage.h"

namespace opweave::codegen {

// Gives the operators their rules; everything wrong is reported.
void check_rules(ModelStorage& storage, const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
