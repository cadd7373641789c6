// Where the parts of a YAML file are, for messages about them.
#pragma once

#include <string>

#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// What stands in the file for the node: a value, a list in brackets to its end; of a list or
// mapping on lines of its own where it begins, of nothing what comes before it.
Span extent(const YamlNode& node);
// The characters from `begin` on up to a blank or the end of the line.
Span word_at(const Source& source, uint32_t begin);

// `the text 'abc'`, `a list`, `a mapping`, `nothing`: what was given, for messages.
std::string describe(const YamlNode& node);

}  // namespace opweave::codegen
