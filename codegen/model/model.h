// The model of one run: operators, gradients, and the memory they live in. Immutable once loaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/object_declaration.h"
#include "codegen/model/declarations/table.h"

namespace opweave::codegen {

// Nodes, derivatives, operators and sources: what the pointers of a model point into.
struct ModelStorage;
struct LoweredStorage;

// The selection that a model was limited to.
struct Selection {
  std::string file;  // its name, for messages of the build
  bool gradients = true;
};

class Model {
 public:
  Model(std::shared_ptr<const ModelStorage> storage, std::shared_ptr<const LoweredStorage> lowered,
        OperatorTable table, std::vector<std::string> targets, std::optional<Selection> selection,
        std::vector<ObjectDeclaration> objects)
      : storage_(std::move(storage)),
        lowered_(std::move(lowered)),
        table_(std::move(table)),
        targets_(std::move(targets)),
        selection_(std::move(selection)),
        objects_(std::move(objects)) {}

  const OperatorTable& operators() const { return table_; }
  // The targets that have files of their own.
  const std::vector<std::string>& targets() const { return targets_; }
  // Null if everything is built.
  const Selection* selection() const { return selection_ ? &*selection_ : nullptr; }
  // The types of objects that the files declare.
  const std::vector<ObjectDeclaration>& objects() const { return objects_; }
  bool has_gradients() const { return !selection_ || selection_->gradients; }

 private:
  std::shared_ptr<const ModelStorage> storage_;
  std::shared_ptr<const LoweredStorage> lowered_;
  OperatorTable table_;
  std::vector<std::string> targets_;
  std::optional<Selection> selection_;
  std::vector<ObjectDeclaration> objects_;
};

// One YAML file: its name for messages, and its text.
struct InputFile {
  std::string path;
  std::string text;
};

struct Inputs {
  std::vector<InputFile> ops;
  std::vector<InputFile> derivatives;
  std::vector<InputFile> imported_ops;   // known to expressions and formulas, never emitted
  bool imported_differentiated = false;  // whether expressions of those have gradients as well
  std::vector<InputFile> imported_derivatives;  // and which of them are not derived
  std::vector<InputFile> targets;               // hardware targets of their own packages
  std::vector<InputFile> built_in_targets;  // those that are emitted together with the operators
  std::vector<InputFile> selection;         // one, or none: then everything is selected
  std::string kernel_calls;                 // which operators handwritten code calls: selection.h
  // Hardware targets that `kernels` may name, besides kKernelWords; empty: any.
  std::vector<std::string> known_targets;
  bool samples_required = false;  // whether a public operator that tests cannot call is an error
  bool operands_limited = true;  // whether kernels of elements take a few tensors and numbers alone
  bool natives_required = false;  // whether it is one that no target has a `native` kernel
  bool rules_required = false;    // whether it is one that no rule says what an operator gives
  bool mutants = false;           // give operators their mutants
};

// Reads, checks and completes. Everything wrong is reported to `sink`, whose spans point into
// `sources`; a model is returned only if there was no error.
std::shared_ptr<const Model> load_model(Inputs inputs, std::shared_ptr<Sources> sources,
                                        DiagnosticSink& sink);

}  // namespace opweave::codegen
