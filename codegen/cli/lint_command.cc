// What formulas keep alive, in text or JSON.
#include "codegen/cli/lint_command.h"

#include <algorithm>
#include <cstdio>

#include "codegen/lint/lint.h"

namespace opweave::codegen {

int lint_model(const CommandLine& line, const Model& model) {
  const std::string text =
      line.format == Format::json ? lint_json(model) : lint_text(model, line.verbose);
  std::fputs(text.c_str(), stdout);
  const std::vector<Finding> findings = find_kept_too_long(model);
  return std::ranges::all_of(findings, [](const Finding& f) { return !f.allowed.empty(); }) ? 0 : 1;
}

}  // namespace opweave::codegen
