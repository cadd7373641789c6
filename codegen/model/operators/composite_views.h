// Views that formulas make.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Reports composites whose schema says that they return a view of an argument, when no call in
// their formula makes one of it.
void check_composite_views(const std::vector<Draft>& drafts, DiagnosticSink& sink);

}  // namespace opweave::codegen
