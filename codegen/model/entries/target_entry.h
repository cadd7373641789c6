// A target's YAML file: its name, and the handwritten kernels that it brings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

struct TargetEntry {
  LocatedText name;
  std::string doc;
  std::vector<LocatedText> kernels;  // full names of operators
};

// Nothing is returned only after a report.
std::optional<TargetEntry> read_target_entry(const YamlNode& root, const Source& source,
                                             DiagnosticSink& sink);

}  // namespace opweave::codegen
