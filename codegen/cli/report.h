// Writes what was found in the way that the command line asks for.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/diagnostics/diagnostic.h"

namespace opweave::codegen {

// Sorts the diagnostics and writes them. The exit status: 1 if there are errors.
int report(const CommandLine& line, DiagnosticSink& sink);

// `opweave explain`: the exit status.
int explain_codes(const CommandLine& line);

}  // namespace opweave::codegen
