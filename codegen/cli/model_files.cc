// Files in, model out.
#include "codegen/cli/model_files.h"

#include "codegen/cli/files.h"
#include "codegen/cli/report.h"

namespace opweave::codegen {

std::shared_ptr<const Model> load_files(const CommandLine& line) {
  Inputs inputs;
  inputs.known_targets = line.known_targets;
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  bool readable = read_files(line.ops, inputs.ops, *sources, sink);
  readable &= read_files(line.derivatives, inputs.derivatives, *sources, sink);
  readable &= read_files(line.imported_ops, inputs.imported_ops, *sources, sink);
  readable &= read_files(line.target_files, inputs.targets, *sources, sink);
  std::shared_ptr<const Model> model;
  if (readable) model = load_model(std::move(inputs), sources, sink);
  return report(line, sink) == 0 ? model : nullptr;
}

}  // namespace opweave::codegen
