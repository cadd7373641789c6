// Which files belong together, and what the checker says about them as they are now.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/lsp/documents.h"
#include "codegen/lsp/outline.h"
#include "codegen/model/model.h"

namespace opweave::codegen::lsp {

// Absolute paths; empty where there is none.
struct FileSet {
  std::string ops, derivatives;
  std::string imported;  // the ops.yaml of a folder above: a library's formulas call its operators
  std::vector<std::string> targets;  // the target.yaml files beside them

  friend auto operator<=>(const FileSet&, const FileSet&) = default;
};

// A target that `kernels` may name.
struct KnownTarget {
  std::string name, doc;
};

// What one run of the checker found.
struct Analysis {
  std::shared_ptr<Sources> sources;
  DiagnosticSink sink;
  std::shared_ptr<const Model> model;  // null if there were errors
  std::vector<KnownTarget> targets;
};

class Workspace {
 public:
  Documents documents;
  // The operators that a library imports which has no ops.yaml above it; empty: none.
  std::string core;

  // Something has changed: everything is checked again before anybody asks.
  void touch() { fresh_ = false; }
  // Checks the files of the open documents, if something has changed.
  void refresh();

  // Of open documents that hold operators or derivatives; null for all others.
  const Analysis* analysis(const std::string& path) const;
  // The model of the last run without errors; it may be older than the text. Null if there was
  // none.
  const Model* model(const std::string& path) const;
  const FileSet* files(const std::string& path) const;
  // The hardware that `kernels` may name there, as the target.yaml files say.
  std::span<const KnownTarget> targets(const std::string& path) const;
  // Every set with a document that is open.
  std::vector<const Analysis*> analyses() const;

 private:
  struct State {
    Analysis now;
    std::shared_ptr<const Model> good;
  };

  FileSet set_of(const std::string& path, const std::string& text) const;
  void check(const FileSet& files, State& state) const;

  bool fresh_ = false;
  std::map<FileSet, State> states_;
  std::map<std::string, FileSet> set_of_path_;
};

}  // namespace opweave::codegen::lsp
