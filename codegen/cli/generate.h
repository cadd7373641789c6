// `opweave gen` of Opweave's own output, which the build's generator has as well.
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
// Writes C++ and Python of Opweave's own. The exit status.
int generate_opweave(const CommandLine& line, const Model& model);
// Says how many files were written, or why none were. The exit status.
int tell(const CommandLine& line, const std::optional<WriteCount>& count, const std::string& error);

}  // namespace opweave::codegen
