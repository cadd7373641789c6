// Loading a model from the files of a command line.
#pragma once

#include <memory>

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// The files of operators that a command line names; false when one cannot be read, which is
// reported to `sink`.
bool read_inputs(const CommandLine& line, Inputs& inputs, Sources& sources, DiagnosticSink& sink);

// Puts the names in the files of targets that are built in with the operators into `line`: those
// are printed, and `kernels` may name no others. False after a report.
bool read_built_in_targets(CommandLine& line);

// Null, with everything that is wrong reported, when a file cannot be read or has errors.
std::shared_ptr<const Model> load_files(const CommandLine& line);

}  // namespace opweave::codegen
