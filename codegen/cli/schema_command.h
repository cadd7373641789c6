// `opweave schema`: JSON Schema of the YAML files.
#pragma once

#include "codegen/cli/options.h"

namespace opweave::codegen {

// To files below --out, or all to stdout, each behind a line with its name. The exit status.
int write_schemas(const CommandLine& line);

}  // namespace opweave::codegen
