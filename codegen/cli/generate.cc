// Writing what is generated.
#include "codegen/cli/generate.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cli/kernel_files.h"
#include "codegen/cli/report.h"
#include "codegen/cli/why.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

// Says how many files were written, or why none were. The exit status.
int tell(const CommandLine& line, const std::optional<WriteCount>& count,
         const std::string& error) {
  if (!count) return fail(error);
  if (line.format == Format::text && isatty(STDOUT_FILENO))
    std::printf("%d files written, %d unchanged\n", count->written, count->unchanged);
  return 0;
}

// What is emitted for the targets that the model has, or else for those of the command line.
EmitOptions options_for(const CommandLine& line, const Model& model) {
  EmitOptions options = line.emit;
  options.only_targets = !model.targets().empty();
  if (options.only_targets) options.targets = model.targets();
  return options;
}

// Writes files, or with `--why` says what they would change. The exit status.
int write_or_explain(const CommandLine& line, const std::vector<EmittedFile>& files) {
  if (line.why) return std::fputs(explain_changes(line.out, files).c_str(), stdout) < 0;
  std::string error;
  const auto count = write_files(line.out, files, error);
  return tell(line, count, error);
}

// The handwritten kernels of a command line, as an emission takes them.
class GivenKernels {
 public:
  // False when one cannot be read: the reason is in `sink`, or in `error` for a folder.
  bool read(const CommandLine& line, DiagnosticSink& sink, std::string& error) {
    if (line.emission->kernels() == Emission::Kernels::none) return true;
    if (line.emission->kernels() == Emission::Kernels::packed) {
      const auto found = kernel_files(line.kernels, error);
      if (!found) return false;
      packed_ = *found;
      for (const KernelFile& kernel : packed_) add(kernel.path, kernel.text);
      return true;
    }
    std::vector<InputFile> files;
    const bool fine = read_files(line.kernels, files, sources_, sink);
    for (InputFile& file : files) add(std::move(file.path), std::move(file.text));
    return fine;
  }

  Emission::Sources texts() const { return texts_; }
  const std::vector<KernelFile>& packed() const { return packed_; }

 private:
  void add(std::string path, std::string text) {
    texts_.push_back(sources_.add(std::move(path), std::move(text)));
  }

  Sources sources_;
  std::vector<const Source*> texts_;
  std::vector<KernelFile> packed_;
};

}  // namespace

int generate(const CommandLine& line, const Model& model) {
  const Emission& emission = *line.emission;
  DiagnosticSink sink;
  GivenKernels kernels;
  std::string error;
  if (kernels.read(line, sink, error)) emission.check(model, kernels.texts(), sink);
  if (!error.empty()) return fail(error);
  if (report(line, sink) != 0) return 1;
  std::vector<EmittedFile> files = emission.files(model, options_for(line, model), kernels.texts());
  if (emission.kernels() != Emission::Kernels::packed) return write_or_explain(line, files);
  for (const KernelFile& kernel : kernels.packed()) files.push_back(emitted(kernel));
  const auto count = write_whole_folder(line.out, std::move(files), error);
  return tell(line, count, error);
}

}  // namespace opweave::codegen
