// `opweave new-op`: an entry to start from.
#pragma once

#include "codegen/cli/options.h"

namespace opweave::codegen {

// To stdout, with the next steps on stderr, or to the end of the --ops file. Nothing is written
// unless all files are right with it. The exit status.
int write_new_operator(const CommandLine& line);

}  // namespace opweave::codegen
