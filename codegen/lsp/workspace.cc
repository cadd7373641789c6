// Checking whenever something has changed.
#include "codegen/lsp/workspace.h"

#include <algorithm>
#include <filesystem>

#include "codegen/model/entries/target_entry.h"
#include "codegen/shapes/sample_views.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen::lsp {
namespace {

namespace fs = std::filesystem;

std::string if_there(const fs::path& path, const Documents& documents) {
  std::error_code ignored;
  const bool there = documents.find(path.string()) != nullptr || fs::exists(path, ignored);
  return there ? path.string() : "";
}

// The nearest ops.yaml of a folder above.
std::string ops_above(fs::path folder, const Documents& documents) {
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    std::string found = if_there(folder / "ops.yaml", documents);
    if (!found.empty()) return found;
  }
  return "";
}

void read(const std::string& path, const Documents& documents, std::vector<InputFile>& to) {
  if (path.empty()) return;
  if (auto text = current_text(documents, path)) to.push_back({path, std::move(*text)});
}

// The targets' files lie beside a file of operators, in folders below it or in `kernels`.
void find_targets(const std::string& ops, const Documents& documents,
                  std::vector<std::string>& found) {
  if (ops.empty()) return;
  const fs::path root = fs::path(ops).parent_path();
  for (const fs::path& folder : {root, root / "kernels"}) {
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end;
         it.increment(failed)) {
      std::string path = if_there(it->path() / "target.yaml", documents);
      if (!path.empty()) found.push_back(std::move(path));
    }
  }
  std::ranges::sort(found);
}

// Those that `kernels` may name.
std::vector<KnownTarget> read_targets(const std::vector<std::string>& paths,
                                      const Documents& documents) {
  std::vector<KnownTarget> targets;
  Sources sources;
  DiagnosticSink ignored;
  YamlArena arena;
  for (const std::string& path : paths) {
    std::optional<std::string> text = current_text(documents, path);
    if (!text) continue;
    const Source* source = sources.add(path, std::move(*text));
    const YamlNode* root = parse_yaml(*source, arena, ignored);
    if (root == nullptr) continue;
    const std::optional<TargetEntry> target = read_target_entry(*root, *source, ignored);
    if (target) targets.push_back({std::string(target->name.text), target->doc});
  }
  return targets;
}

}  // namespace

FileSet Workspace::set_of(const std::string& path, const std::string& text) const {
  const fs::path file(path);
  const std::string name = file.filename().string();
  const KeyTable* keys = outline_of(text).keys;
  const bool derivatives =
      keys == &derivative_keys() || (keys == nullptr && name == "derivatives.yaml");
  if (keys == nullptr && name != "ops.yaml" && !derivatives) return {};
  FileSet set;
  const fs::path folder = file.parent_path();
  set.ops = derivatives ? if_there(folder / "ops.yaml", documents) : path;
  // A file of operators with a name of its own has no derivatives.
  if (derivatives) {
    set.derivatives = path;
  } else if (name == "ops.yaml") {
    set.derivatives = if_there(folder / "derivatives.yaml", documents);
  }
  set.imported = ops_above(folder, documents);
  if (set.imported.empty() && set.ops != core) set.imported = core;
  find_targets(set.ops, documents, set.targets);
  find_targets(set.imported, documents, set.targets);
  return set;
}

void Workspace::check(const FileSet& files, State& state) const {
  Inputs inputs;
  inputs.samples_required = true;  // as `opweave check` wants it
  read(files.ops, documents, inputs.ops);
  read(files.derivatives, documents, inputs.derivatives);
  read(files.imported, documents, inputs.imported_ops);
  Analysis now{std::make_shared<Sources>(), {}, nullptr, read_targets(files.targets, documents)};
  for (const KnownTarget& target : now.targets) inputs.known_targets.push_back(target.name);
  now.model = load_model(std::move(inputs), now.sources, now.sink);
  if (now.model != nullptr) {
    check_samples_taken(*now.model, now.sink);
    check_sample_views(*now.model, now.sink);
  }
  now.sink.sort();
  if (now.model != nullptr) state.good = now.model;
  state.now = std::move(now);
}

void Workspace::refresh() {
  if (fresh_) return;
  fresh_ = true;
  set_of_path_.clear();
  std::set<FileSet> wanted;
  for (const auto& [path, document] : documents.all()) {
    const FileSet set = set_of(path, document.text);
    if (set == FileSet()) continue;
    set_of_path_[path] = set;
    wanted.insert(set);
  }
  std::erase_if(states_, [&](const auto& state) { return !wanted.contains(state.first); });
  for (const FileSet& set : wanted) check(set, states_[set]);
}

const Analysis* Workspace::analysis(const std::string& path) const {
  const FileSet* set = files(path);
  return set == nullptr ? nullptr : &states_.at(*set).now;
}

const Model* Workspace::model(const std::string& path) const {
  const FileSet* set = files(path);
  return set == nullptr ? nullptr : states_.at(*set).good.get();
}

const FileSet* Workspace::files(const std::string& path) const {
  const auto found = set_of_path_.find(path);
  return found == set_of_path_.end() ? nullptr : &found->second;
}

std::span<const KnownTarget> Workspace::targets(const std::string& path) const {
  const Analysis* found = analysis(path);
  return found == nullptr ? std::span<const KnownTarget>() : found->targets;
}

std::vector<const Analysis*> Workspace::analyses() const {
  std::vector<const Analysis*> all;
  for (const auto& [set, state] : states_) all.push_back(&state.now);
  return all;
}

}  // namespace opweave::codegen::lsp
