// `opweave explain`.
#pragma once

#include "codegen/cli/options.h"

namespace opweave::codegen {

// The exit status: 1 if there is no such code, topic or word.
int explain_codes(const CommandLine& line);

}  // namespace opweave::codegen
