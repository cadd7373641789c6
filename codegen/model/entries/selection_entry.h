// A selection: the YAML file that says which operators a build shall have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// `- add`, or `- {name: add.Tensor, dtypes: [float32]}`.
struct SelectedName {
  LocatedText name;  // of one operator, or of all overloads of a base name
  std::optional<DTypeSet> dtypes;
};

struct SelectionEntry {
  bool all = false;  // `operators: all`
  bool gradients = true;
  std::optional<DTypeSet> dtypes;  // of the operators that give none of their own
  std::vector<SelectedName> operators;
};

// Nothing is returned only after a report.
std::optional<SelectionEntry> read_selection(const YamlNode& root, const Source& source,
                                             DiagnosticSink& sink);

}  // namespace opweave::codegen
