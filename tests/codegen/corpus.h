// The corpus of bad inputs: bad_input/OW0202_unknown_name/NNNN-what-is-wrong holds the files of one
// case and what is said about them; the folder above is the rule that they break first.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"

namespace opweave::codegen {

// Sorted by their own names. Paths are absolute.
std::vector<std::filesystem::path> corpus_cases();
std::string read_corpus_file(const std::filesystem::path& path);

// Checks the files of one case as the command line does, by their names alone. A case with the
// (empty) file `emit_torch` has a model, which cannot be emitted for PyTorch.
struct CorpusRun {
  explicit CorpusRun(const std::filesystem::path& folder);
  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  bool has_model = false;
  bool for_emitter = false;
};

}  // namespace opweave::codegen
