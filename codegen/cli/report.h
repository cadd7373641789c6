// Writes what was found in the way that the command line asks for.
#pragma once

#include <string>

#include "codegen/cli/options.h"
#include "codegen/diagnostics/diagnostic.h"

namespace opweave::codegen {

// Sorts the diagnostics and writes them. The exit status: 1 if there are errors.
int report(const CommandLine& line, DiagnosticSink& sink);

// Writes an error that has no place in a file. The exit status.
int fail(const std::string& error);

// Whether to write in colour: `no_color` and `term` are the variables of the environment, null if
// they are not set.
bool wants_color(Color color, const char* no_color, const char* term, bool terminal);

}  // namespace opweave::codegen
