// Files in, model out.
#include "codegen/cli/model_files.h"

#include <algorithm>
#include <filesystem>

#include "codegen/cli/report.h"
#include "codegen/files/files.h"
#include "codegen/model/entries/target_entry.h"
#include "codegen/model/operators/python_names.h"
#include "codegen/shapes/sample_views.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen {

namespace {

namespace fs = std::filesystem;

// A file whose operators are looked at is not imported into itself: the `opweave` of the wheel
// imports the core's, also where the core's are checked.
std::vector<std::string> imported_by(const CommandLine& line) {
  std::vector<std::string> others = line.imported_ops;
  std::erase_if(others, [&](const std::string& imported) {
    return std::ranges::any_of(line.ops, [&](const std::string& own) {
      std::error_code error;
      return fs::equivalent(own, imported, error) && !error;
    });
  });
  return others;
}

// What a file of operators has beside it.
std::vector<std::string> beside(const std::vector<std::string>& ops) {
  std::vector<std::string> found;
  for (const fs::path path : ops) {
    const fs::path file = path.parent_path() / "derivatives.yaml";
    std::error_code error;
    if (path.filename() == "ops.yaml" && fs::is_regular_file(file, error))
      found.push_back(file.string());
  }
  return found;
}

// Where no file of gradients is named, those beside the files of operators. What is generated is
// what the command line says, so that Bazel knows of every file.
std::vector<std::string> derivatives_of(const CommandLine& line) {
  return line.derivatives.empty() && line.command != "gen" ? beside(line.ops) : line.derivatives;
}

}  // namespace

bool read_inputs(const CommandLine& line, Inputs& inputs, Sources& sources, DiagnosticSink& sink) {
  inputs.known_targets = line.known_targets;
  // What is compared may name targets of its own time.
  const bool written = line.command == "gen" || line.command == "check";
  if (written && inputs.known_targets.empty()) inputs.known_targets = line.emit.targets;
  inputs.mutants = line.mutants || line.command == "mutants";
  bool readable = read_files(line.ops, inputs.ops, sources, sink);
  readable &= read_files(derivatives_of(line), inputs.derivatives, sources, sink);
  readable &= read_files(imported_by(line), inputs.imported_ops, sources, sink);
  inputs.imported_differentiated =
      line.emission != nullptr && line.emission->differentiates_imported();
  if (inputs.imported_differentiated)
    readable &= read_files(beside(imported_by(line)), inputs.imported_derivatives, sources, sink);
  readable &= read_files(line.target_files, inputs.targets, sources, sink);
  readable &= read_files(line.built_in_targets, inputs.built_in_targets, sources, sink);
  readable &= read_files(line.selection, inputs.selection, sources, sink);
  if (line.kernel_calls.empty()) return readable;
  std::vector<InputFile> calls;
  readable &= read_files({line.kernel_calls}, calls, sources, sink);
  if (!calls.empty()) inputs.kernel_calls = std::move(calls.front().text);
  return readable;
}

bool read_built_in_targets(CommandLine& line) {
  if (line.built_in_targets.empty()) return true;
  Sources sources;
  DiagnosticSink sink;
  std::vector<InputFile> files;
  line.emit.targets.clear();
  if (!read_files(line.built_in_targets, files, sources, sink)) return report(line, sink) == 0;
  YamlArena arena;
  for (InputFile& file : files) {
    const Source* source = sources.add(std::move(file.path), std::move(file.text));
    const YamlNode* root = parse_yaml(*source, arena, sink);
    if (root == nullptr) continue;
    if (const std::optional<TargetEntry> target = read_target_entry(*root, *source, sink)) {
      check_target_name(target->name, sink);
      line.emit.targets.emplace_back(target->name.text);
    }
  }
  line.known_targets.insert(line.known_targets.end(), line.emit.targets.begin(),
                            line.emit.targets.end());
  return report(line, sink) == 0;
}

namespace {

// Whether all files of targets that are emitted with the operators are there: a library has none.
bool knows_all_targets(const CommandLine& line) {
  if (!line.built_in_targets.empty()) return true;
  const bool library = line.command == "check" && !imported_by(line).empty();
  return line.target_files.empty() && (line.command == "gen" || library);
}

}  // namespace

std::shared_ptr<const Model> load_files(const CommandLine& line) {
  Inputs inputs;
  // What is compared may be older than the rule.
  inputs.samples_required = line.command == "gen" || line.command == "check";
  inputs.rules_required = line.rules_required;
  inputs.natives_required = knows_all_targets(line);
  inputs.operands_limited = line.emission == nullptr || line.emission->limits_operands();
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  std::shared_ptr<const Model> model;
  if (read_inputs(line, inputs, *sources, sink))
    model = load_model(std::move(inputs), sources, sink);
  if (model != nullptr && (line.command == "gen" || line.command == "check")) {
    check_samples_taken(*model, sink);
    check_sample_views(*model, sink);
  }
  return report(line, sink) == 0 ? model : nullptr;
}

}  // namespace opweave::codegen
