// Files in, model out.
#include "codegen/cli/model_files.h"

#include "codegen/cli/report.h"
#include "codegen/files/files.h"

namespace opweave::codegen {

bool read_inputs(const CommandLine& line, Inputs& inputs, Sources& sources, DiagnosticSink& sink) {
  inputs.known_targets = line.known_targets;
  inputs.mutants = line.mutants || line.command == "mutants";
  bool readable = read_files(line.ops, inputs.ops, sources, sink);
  readable &= read_files(line.derivatives, inputs.derivatives, sources, sink);
  readable &= read_files(line.imported_ops, inputs.imported_ops, sources, sink);
  readable &= read_files(line.target_files, inputs.targets, sources, sink);
  readable &= read_files(line.selection, inputs.selection, sources, sink);
  if (line.kernel_calls.empty()) return readable;
  std::vector<InputFile> calls;
  readable &= read_files({line.kernel_calls}, calls, sources, sink);
  if (!calls.empty()) inputs.kernel_calls = std::move(calls.front().text);
  return readable;
}

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
