// Checking whenever something has changed.
#include "codegen/lsp/workspace.h"

#include <filesystem>

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
  return set;
}

void Workspace::check(const FileSet& files, State& state) const {
  Inputs inputs;
  inputs.samples_required = true;  // as `opweave check` wants it
  read(files.ops, documents, inputs.ops);
  read(files.derivatives, documents, inputs.derivatives);
  read(files.imported, documents, inputs.imported_ops);
  Analysis now{std::make_shared<Sources>(), {}, nullptr};
  now.model = load_model(std::move(inputs), now.sources, now.sink);
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

std::vector<const Analysis*> Workspace::analyses() const {
  std::vector<const Analysis*> all;
  for (const auto& [set, state] : states_) all.push_back(&state.now);
  return all;
}

}  // namespace opweave::codegen::lsp
