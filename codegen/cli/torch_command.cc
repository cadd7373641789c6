// Checks PyTorch's files, says how much was read, and compares the operators with ours.
#include "codegen/cli/torch_command.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "codegen/cli/model_files.h"
#include "codegen/cli/report.h"
#include "codegen/files/files.h"
#include "codegen/torch/check.h"
#include "codegen/torch/parity_report.h"

namespace opweave::codegen {
namespace {

// PyTorch has the tags that its operators may have in a file beside them.
std::string tags_beside(const std::string& native_functions) {
  const auto path = std::filesystem::path(native_functions).parent_path() / "tags.yaml";
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.string() : "";
}

bool read_torch(const CommandLine& line, torch::TorchFiles& files, Sources& sources,
                DiagnosticSink& sink) {
  std::vector<InputFile> given;
  torch::TorchInputs inputs;
  bool readable = read_files(line.files, given, sources, sink);
  readable &= read_files(line.helpers, inputs.headers, sources, sink);
  if (!readable) return false;
  inputs.native_functions = std::move(given[0]);
  if (given.size() > 1) inputs.derivatives = std::move(given[1]);
  if (const std::string tags = tags_beside(line.files[0]); !tags.empty()) {
    std::vector<InputFile> read;
    if (read_files({tags}, read, sources, sink)) inputs.tags = std::move(read[0]);
  }
  check_torch_files(std::move(inputs), files, sink);
  return true;
}

// Our own operators, to compare with; null if there are none, or something is wrong with them.
std::shared_ptr<const Model> read_own(const CommandLine& line,
                                      const std::shared_ptr<Sources>& sources,
                                      DiagnosticSink& sink) {
  Inputs inputs;
  if (line.ops.empty() || !read_inputs(line, inputs, *sources, sink)) return nullptr;
  return load_model(std::move(inputs), sources, sink);
}

bool write_report(const std::string& path, const std::vector<torch::ParityRow>& rows) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << (path.ends_with(".json") ? parity_json(rows) : parity_details(rows));
  if (out.flush()) return true;
  fail(path + " cannot be written");
  return false;
}

bool compare(const CommandLine& line, const torch::TorchFiles& files, const Model& model) {
  const auto rows = compare_operators(files.functions, model);
  if (line.format == Format::text) std::fputs(("\n" + parity_summary(rows)).c_str(), stdout);
  return line.report.empty() || write_report(line.report, rows);
}

}  // namespace

int check_torch_files(const CommandLine& line) {
  torch::TorchFiles files;
  const auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  if (!read_torch(line, files, *sources, sink)) return report(line, sink);
  const auto model = read_own(line, sources, sink);
  const int status = report(line, sink);
  if (line.format == Format::text) std::fputs(summary(files).c_str(), stdout);
  const bool compared = model == nullptr || compare(line, files, *model);
  return compared ? status : 1;
}

}  // namespace opweave::codegen
