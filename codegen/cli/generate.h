// `opweave gen`, whatever it makes.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Makes what the command line asks for of the model and its handwritten kernels; nothing after a
// report. The exit status.
int generate(const CommandLine& line, const Model& model);

}  // namespace opweave::codegen
