// `opweave lint`.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// The exit status: 1 if a formula could keep less and nobody says why it does not.
int lint_model(const CommandLine& line, const Model& model);

}  // namespace opweave::codegen
