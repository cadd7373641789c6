// Checks PyTorch's files, says how much was read, and compares the operators with ours.
#include "codegen/cli/torch_command.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "codegen/cli/files.h"
#include "codegen/diagnostics/render.h"
#include "codegen/torch/check.h"
#include "codegen/torch/parity_report.h"

namespace opweave::codegen {
namespace {

void print_diagnostics(DiagnosticSink& sink) {
  sink.sort();
  std::fputs(render_all(sink, {.color = isatty(STDERR_FILENO) != 0}).c_str(), stderr);
}

bool read_torch(const CommandLine& line, torch::TorchFiles& files) {
  std::vector<InputFile> given;
  torch::TorchInputs inputs;
  if (!read_files(line.files, given) || !read_files(line.helpers, inputs.headers)) return false;
  inputs.native_functions = std::move(given[0]);
  if (given.size() > 1) inputs.derivatives = std::move(given[1]);
  DiagnosticSink sink;
  check_torch(std::move(inputs), files, sink);
  print_diagnostics(sink);
  std::fputs(summary(files).c_str(), stdout);
  return !sink.has_errors();
}

bool write_report(const std::string& path, const std::vector<torch::ParityRow>& rows) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << (path.ends_with(".json") ? parity_json(rows) : parity_details(rows));
  if (out.flush()) return true;
  std::fprintf(stderr, "opweave: error: %s cannot be written\n", path.c_str());
  return false;
}

bool compare(const CommandLine& line, const torch::TorchFiles& files) {
  Inputs inputs;
  if (!read_inputs(line, inputs)) return false;
  DiagnosticSink sink;
  const auto model = load_model(std::move(inputs), std::make_shared<Sources>(), sink);
  print_diagnostics(sink);
  if (model == nullptr) return false;
  const auto rows = compare_operators(files.functions, *model);
  std::fputs(("\n" + parity_summary(rows)).c_str(), stdout);
  return line.report.empty() || write_report(line.report, rows);
}

}  // namespace

int check_torch_files(const CommandLine& line) {
  torch::TorchFiles files;
  const bool fine = read_torch(line, files);
  const bool compared = line.ops.empty() || compare(line, files);
  return fine && compared ? 0 : 1;
}

}  // namespace opweave::codegen
