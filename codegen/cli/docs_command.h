// `opweave docs`.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

int write_docs(const CommandLine& line, const Model& model);

}  // namespace opweave::codegen
