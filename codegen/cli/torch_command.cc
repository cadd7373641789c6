// Checks PyTorch's files and says how much was read.
#include "codegen/cli/torch_command.h"

#include <cstdio>

#include "codegen/cli/files.h"
#include "codegen/cli/report.h"
#include "codegen/torch/check.h"

namespace opweave::codegen {

int check_torch_files(const CommandLine& line) {
  std::vector<InputFile> files;
  torch::TorchInputs inputs;
  Sources unread;
  DiagnosticSink sink;
  const bool readable = read_files(line.files, files, unread, sink) &&
                        read_files(line.helpers, inputs.headers, unread, sink);
  if (!readable) return report(line, sink);
  inputs.native_functions = std::move(files[0]);
  if (files.size() > 1) inputs.derivatives = std::move(files[1]);
  torch::TorchFiles torch_files;
  check_torch(std::move(inputs), torch_files, sink);
  const int status = report(line, sink);
  if (line.format == Format::text) std::fputs(summary(torch_files).c_str(), stdout);
  return status;
}

}  // namespace opweave::codegen
