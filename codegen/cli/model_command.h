// `opweave model`.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Writes the model as one document to the file that --out names. The exit status.
int write_model(const CommandLine& line, const Model& model);

}  // namespace opweave::codegen
