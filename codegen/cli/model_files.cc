// Files in, model out.
#include "codegen/cli/model_files.h"

#include "codegen/cli/files.h"
#include "codegen/cli/report.h"

namespace opweave::codegen {

std::shared_ptr<const Model> load_files(const CommandLine& line) {
  Inputs inputs;
  // What is compared may be older than the rule.
  inputs.samples_required = line.command == "gen" || line.command == "check";
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  std::shared_ptr<const Model> model;
  if (read_inputs(line, inputs, *sources, sink))
    model = load_model(std::move(inputs), sources, sink);
  return report(line, sink) == 0 ? model : nullptr;
}

}  // namespace opweave::codegen
