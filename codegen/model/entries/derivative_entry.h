// One entry of derivatives.yaml as it is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

struct DerivativeEntry {
  struct Line {
    std::vector<LocatedText> arguments;
    LocatedText formula;  // also `zero`, `non_differentiable`, `refused`
  };

  LocatedText name;
  std::vector<Line> lines;
  std::optional<std::vector<bool>> output_differentiability;
  Span output_differentiability_span;
  std::string keeps;     // why tensors are kept that the lint would not keep
  bool damaged = false;  // something of it could not be read: what seems missing may be there
};

// Everything wrong is reported; entries without a name are left out.
std::vector<DerivativeEntry> read_derivative_entries(const YamlNode& root, const Source& source,
                                                     DiagnosticSink& sink);

}  // namespace opweave::codegen
