// Checks PyTorch's files and says how much was read.
#include "codegen/cli/torch_command.h"

#include <unistd.h>

#include <cstdio>

#include "codegen/cli/files.h"
#include "codegen/diagnostics/render.h"
#include "codegen/torch/check.h"

namespace opweave::codegen {

int check_torch_files(const CommandLine& line) {
  std::vector<InputFile> files;
  torch::TorchInputs inputs;
  if (!read_files(line.files, files) || !read_files(line.helpers, inputs.headers)) return 1;
  inputs.native_functions = std::move(files[0]);
  if (files.size() > 1) inputs.derivatives = std::move(files[1]);
  torch::TorchFiles torch_files;
  DiagnosticSink sink;
  check_torch(std::move(inputs), torch_files, sink);
  sink.sort();
  std::fputs(render_all(sink, {.color = isatty(STDERR_FILENO) != 0}).c_str(), stderr);
  std::fputs(summary(torch_files).c_str(), stdout);
  return sink.has_errors() ? 1 : 0;
}

}  // namespace opweave::codegen
