// `opweave shapes`: what a call gives, for unknown sizes.
#pragma once

#include "codegen/cli/options.h"

namespace opweave::codegen {

// The exit status: 1 where the call is wrong or refused.
int show_shapes(const CommandLine& line);

}  // namespace opweave::codegen
