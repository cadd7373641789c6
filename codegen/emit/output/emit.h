// The interface between the model and the outputs: a model goes in, files come out.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

struct EmittedFile {
  std::string path;  // relative to the output directory
  std::string text;
};

struct EmitOptions {
  std::string library = "opweave";             // names the registration function and the extension
  std::vector<std::string> targets = {"cpu"};  // hardware targets to print kernels for
  // Only the kernels of `targets` and their declarations: for a target that lives in its own
  // package.
  bool only_targets = false;
  // How many files each sharded output is split into; a small library compiles fastest as one.
  int shards = 16;
  // The same for the pointwise kernels of `targets`, which take longest to compile.
  int kernel_shards = 16;
  bool trace = false;  // say at the end of each line which line of an emitter printed it

  // What the names of its operators begin with where those of all libraries are together: "mine::";
  // nothing in the core.
  std::string prefix() const { return library == "opweave" ? "" : library + "::"; }
};

// Deterministic: the same model and options give the same files in the same order.
std::vector<EmittedFile> emit_all(const Model& model, const EmitOptions& options);

}  // namespace opweave::codegen
