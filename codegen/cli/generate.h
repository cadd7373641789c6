// `opweave gen`, whatever it makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/cli/options.h"
#include "codegen/files/files.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// What is emitted for the targets that the model has, or else for those of the command line.
EmitOptions options_for(const CommandLine& line, const Model& model);
// Writes files, or with `--why` says what they would change. The exit status.
int write_or_explain(const CommandLine& line, const std::vector<EmittedFile>& files);
// Makes what the command line asks for of the model and its handwritten kernels; nothing after a
// report. The exit status.
int generate(const CommandLine& line, const Model& model);
// Says how many files were written, or why none were. The exit status.
int tell(const CommandLine& line, const std::optional<WriteCount>& count, const std::string& error);

}  // namespace opweave::codegen
