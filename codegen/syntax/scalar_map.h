// Finds where in a file each byte of a YAML scalar's value was written.
#pragma once

#include <string>

#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// `begin` is where the scalar starts in the source (its quote or block indicator included).
// Values that are spelled as they read point into the source and cost nothing.
LocatedText locate_scalar(const Source& source, uint32_t begin, bool quoted,
                          const std::string& value, YamlArena& arena);

}  // namespace opweave::codegen
