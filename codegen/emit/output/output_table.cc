// The table of outputs, and the files of its lines.
#include "codegen/emit/output/output_table.h"

#include <array>

#include "codegen/emit/output/outputs.h"

namespace opweave::codegen {
namespace {

#define OW_OUTPUT(emitter, path, split, registrar, registers, library, uses, parts, printed_by, \
                  holds)                                                                        \
  OutputRow{path, Split::split, Registrar::registrar, registers, library,                       \
            uses, parts,        printed_by,           holds,     &emitter},
constexpr OutputRow kOutputs[] = {
#include "codegen/emit/output/output_table.def"
};
#undef OW_OUTPUT

constexpr std::array<std::string_view, 9> kSplits = {
    "once",      "own",     "shards",         "targets",     "target_shards",
    "operators", "kernels", "target_package", "target_parts"};
constexpr std::array<std::string_view, 4> kRegistrars = {"", "library", "target", "python"};

// Whether `{x}` in the pattern stands for a part of a name.
bool matches(std::string_view pattern, std::string_view path) {
  const size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, open))) return false;
  const std::string_view rest = pattern.substr(pattern.find('}') + 1);
  for (size_t end = open + 1; end <= path.size() && path[end - 1] != '/'; ++end) {
    if (matches(rest, path.substr(end))) return true;
  }
  return false;
}

int shards_of(const OutputRow& row, const EmitOptions& options) {
  return row.split == Split::target_shards ? options.kernel_shards : options.shards;
}

// "register_opweave_batching_07"
std::string registered_function(const OutputRow& row, const std::string& library, int shard) {
  return "register_" + library + "_" + std::string(row.registers) + shard_suffix(shard);
}

// Whether its files lie in the target's folder: meta has a line of its own.
bool is_of_target(const OutputRow& row, std::string_view target) {
  const std::string path = output_path(row, target, "", shard_suffix(0));
  return output_of(path) == &row && path.starts_with("opweave/" + std::string(target) + "/");
}

void replace(std::string& text, std::string_view variable, std::string_view value) {
  const size_t at = text.find(variable);
  if (at != std::string::npos) text.replace(at, variable.size(), value);
}

}  // namespace

std::span<const OutputRow> output_table() { return kOutputs; }

const OutputRow* output_of(std::string_view path) {
  for (const OutputRow& row : kOutputs) {
    if (matches(row.path, path)) return &row;
  }
  return nullptr;
}

std::string_view split_name(Split split) { return kSplits[static_cast<size_t>(split)]; }

std::string_view registrar_name(Registrar registrar) {
  return kRegistrars[static_cast<size_t>(registrar)];
}

std::string output_path(const OutputRow& row, std::string_view target, std::string_view name,
                        std::string_view shard) {
  std::string path(row.path);
  replace(path, "{target}", target);
  replace(path, "{name}", name);
  replace(path, "_{shard}", shard);
  return path;
}

std::vector<std::string> registered_functions(Registrar registrar, const EmitOptions& options,
                                              std::string_view target) {
  std::vector<std::string> functions;
  for (const OutputRow& row : kOutputs) {
    if (row.registrar != registrar || (!target.empty() && !is_of_target(row, target))) continue;
    for (int i = 0; i < shards_of(row, options); ++i)
      functions.push_back(registered_function(row, options.library, i));
  }
  return functions;
}

void Output::add(std::string_view target, std::string_view name, std::string text) {
  files_.push_back({output_path(row, target, name, ""), std::move(text)});
}

std::vector<Shard> Output::shards() const {
  const bool by_target = row.split == Split::target_shards;
  const int count = shards_of(row, options);
  const auto targets = by_target ? options.targets : std::vector<std::string>{""};
  std::vector<Shard> shards;
  std::vector<std::vector<const Operator*>> ops = operators_by_shard(model, count);
  for (int i = 0; i < count; ++i) {
    for (const std::string& target : targets) {
      shards.push_back({output_path(row, target, "", shard_suffix(i)),
                        registered_function(row, options.library, i), target, i, ops[i],
                        model.mutants()});
    }
  }
  return shards;
}

std::vector<std::string> Output::targets() const {
  std::vector<std::string> targets = options.targets;
  if (!options.only_targets) targets.push_back("meta");
  return targets;
}

}  // namespace opweave::codegen
