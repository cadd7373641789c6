// The model of one run: operators, gradients, and the memory they live in. Immutable once loaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/object_declaration.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/mutants/mutant.h"

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
  struct Contents {
    std::shared_ptr<const ModelStorage> storage;
    std::shared_ptr<const LoweredStorage> lowered;
    OperatorTable operators;
    std::vector<std::string> targets;
    std::optional<Selection> selection;
    std::vector<ObjectDeclaration> objects;
    Mutants mutants;
  };

  explicit Model(Contents contents) : contents_(std::move(contents)) {}

  const OperatorTable& operators() const { return contents_.operators; }
  // The targets that have files of their own.
  const std::vector<std::string>& targets() const { return contents_.targets; }
  // Null if everything is built.
  const Selection* selection() const {
    return contents_.selection ? &*contents_.selection : nullptr;
  }
  // The types of objects that the files declare.
  const std::vector<ObjectDeclaration>& objects() const { return contents_.objects; }
  // Mistakes in what operators compute, for tests to notice; none unless they were asked for.
  const Mutants& mutants() const { return contents_.mutants; }
  bool has_gradients() const { return !selection() || selection()->gradients; }

 private:
  Contents contents_;
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
  bool mutants = false;           // make their mutants
};

// Reads, checks and completes. Everything wrong is reported to `sink`, whose spans point into
// `sources`; a model is returned only if there was no error.
std::shared_ptr<const Model> load_model(Inputs inputs, std::shared_ptr<Sources> sources,
                                        DiagnosticSink& sink);

}  // namespace opweave::codegen
