// `opweave check --dialect=torch`.
#pragma once

#include "codegen/cli/options.h"

namespace opweave::codegen {

// The exit status: 1 if something is wrong with PyTorch's files.
int check_torch_files(const CommandLine& line);

}  // namespace opweave::codegen
