// Reading and running of corpus cases.
#include "tests/codegen/corpus.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "codegen/emit/jax/jax.h"
#include "codegen/emit/stable/kernel_includes.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/files/files.h"
#include "codegen/model/model.h"
#include "codegen/shapes/sample_views.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen {

namespace fs = std::filesystem;

std::vector<fs::path> corpus_cases() {
  std::vector<fs::path> folders;
  for (const auto& room : fs::directory_iterator(fs::absolute("tests/codegen/bad_input"))) {
    for (const auto& entry : fs::directory_iterator(room)) folders.push_back(entry.path());
  }
  std::ranges::sort(folders, {}, [](const fs::path& path) { return path.filename(); });
  return folders;
}

std::string read_corpus_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

CorpusRun::CorpusRun(const fs::path& folder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const auto if_there = [](const char* name) {
    return fs::exists(name) ? std::vector<std::string>{name} : std::vector<std::string>();
  };
  Inputs inputs;
  inputs.known_targets = {"cpu", "cuda"};
  inputs.samples_required = true;
  inputs.rules_required = fs::exists("rules_required");
  const bool for_torch = fs::exists("emit_torch");
  const bool for_jax = fs::exists("emit_jax");
  const bool for_every_release = fs::exists("emit_stable");
  for_emitter = for_torch || for_jax || for_every_release;
  bool readable = read_files({"ops.yaml"}, inputs.ops, *sources, sink);
  readable &= read_files(if_there("derivatives.yaml"), inputs.derivatives, *sources, sink);
  readable &= read_files(if_there("target.yaml"), inputs.targets, *sources, sink);
  readable &= read_files(if_there("selection.yaml"), inputs.selection, *sources, sink);
  inputs.natives_required = inputs.targets.empty();
  std::vector<InputFile> kernels;
  readable &= read_files(if_there("kernel.cc"), kernels, *sources, sink);
  fs::current_path(before);
  if (readable) {
    const auto model = load_model(std::move(inputs), sources, sink);
    has_model = model != nullptr;
    if (has_model) check_samples_taken(*model, sink);
    if (has_model) check_sample_views(*model, sink);
    has_model = has_model && !sink.has_errors();
    if (has_model && for_torch) check_torch(*model, sink);
    if (has_model && for_jax) check_jax(*model, sink);
    if (has_model && for_every_release) check_stable(*model, sink);
    for (InputFile& kernel : kernels) {
      const Source* source = sources->add(std::move(kernel.path), std::move(kernel.text));
      if (has_model) check_kernel_includes(*source, *model, sink);
    }
  }
  sink.sort();
}

}  // namespace opweave::codegen
