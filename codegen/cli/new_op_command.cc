// A new entry beside those that are there.
#include "codegen/cli/new_op_command.h"

#include <cstdio>
#include <filesystem>

#include "codegen/cli/model_files.h"
#include "codegen/cli/report.h"
#include "codegen/files/files.h"
#include "codegen/new_op/new_op.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

// Without --ops the file of the folder, and derivatives.yaml beside it, if there are such.
CommandLine with_default_files(CommandLine line) {
  if (line.ops.empty() && fs::exists("ops.yaml")) line.ops.push_back("ops.yaml");
  if (line.ops.empty() || !line.derivatives.empty()) return line;
  const fs::path beside = fs::path(line.ops[0]).parent_path() / "derivatives.yaml";
  if (fs::exists(beside)) line.derivatives.push_back(beside.string());
  return line;
}

std::string name_of(const std::string& schema) { return schema.substr(0, schema.find('(')); }

bool append(const fs::path& path, std::string text, const std::string& entry) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  std::string error;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (write_files(folder, {{path.filename().string(), text + entry}}, error)) return true;
  fail(error);
  return false;
}

}  // namespace

int write_new_operator(const CommandLine& given) {
  const CommandLine line = with_default_files(given);
  const NewOperator op = new_operator(line.files[0], line.like);
  const auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  const std::string entry = entry_text(op, *sources, sink);
  Inputs inputs;
  inputs.samples_required = true;
  if (entry.empty() || !read_inputs(line, inputs, *sources, sink)) return report(line, sink);
  const std::string before = inputs.ops.empty() ? "" : inputs.ops[0].text;
  inputs.ops.push_back({"the new entry", entry});
  const auto model = load_model(std::move(inputs), sources, sink);
  if (model != nullptr) check_samples_taken(*model, sink);
  if (model == nullptr || sink.has_errors()) return report(line, sink);
  const Operator& made = *model->operators().find(name_of(op.schema));
  check_name_is_free(op, made, *model, sink);
  if (report(line, sink) != 0) return 1;
  const std::string steps = next_steps(op, made);
  if (!line.write) {
    std::fputs(entry.c_str(), stdout);
    std::fputs(steps.c_str(), stderr);
    return 0;
  }
  if (!append(line.ops[0], before, entry)) return 1;
  std::printf("%s: added '%s'\n%s", line.ops[0].c_str(), name_of(op.schema).c_str(), steps.c_str());
  return 0;
}

}  // namespace opweave::codegen
