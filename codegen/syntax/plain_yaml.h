// Reads the part of YAML that operator files are written in, many times faster than yaml-cpp.
#pragma once

#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// The tree that parse_full_yaml would give. Null, without a report, if the file has anything but
// block lists and mappings, plain scalars and flow collections on one line, quoted scalars without
// escapes but those of quotes and backslashes, and comments: then it is yaml-cpp's turn, which also
// says what is wrong.
const YamlNode* parse_plain_yaml(const Source& source, YamlArena& arena);

}  // namespace opweave::codegen
