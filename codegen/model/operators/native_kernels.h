// Operators that leave it to the targets who has a kernel: somebody has to.
#pragma once

#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Reports every entry with `kernels: [native]` that no target's file names. `targets` are the names
// that `kernels` may give, for the message; where no target's file was read, many are one report.
void check_natives(const std::vector<Draft>& drafts, const std::vector<std::string>& targets,
                   bool files_read, DiagnosticSink& sink);

}  // namespace opweave::codegen
