// `opweave gen --why`: which files an edit touches, and the parts of which
// entries they depend on.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/output/emit.h"

namespace opweave::codegen {

// Compares what would be generated with what lies in `directory`. Writes
// nothing.
std::string explain_changes(const std::string& directory, const std::vector<EmittedFile>& files);

}  // namespace opweave::codegen
