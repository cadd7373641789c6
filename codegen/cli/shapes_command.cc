// Reads the operators and answers one call.
#include "codegen/cli/shapes_command.h"

#include <cstdio>

#include "codegen/cli/model_files.h"
#include "codegen/cli/report.h"
#include "codegen/shapes/shapes.h"

namespace opweave::codegen {

int show_shapes(const CommandLine& line) {
  Inputs inputs;
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  std::shared_ptr<const Model> model;
  if (read_inputs(line, inputs, *sources, sink))
    model = load_model(std::move(inputs), sources, sink);
  std::string text;
  if (model) text = shapes_text(line.files[0], *model, *sources, sink);
  std::fputs(text.c_str(), stdout);
  return report(line, sink);
}

}  // namespace opweave::codegen
