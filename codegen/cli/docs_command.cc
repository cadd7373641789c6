// Writing of the reference documentation.
#include "codegen/cli/docs_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "codegen/cli/files.h"
#include "codegen/docs/docs.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

// "cpu/sum" of `#include "opweave/kernels/cpu/sum.h"`, for every such line.
void find_declarations(const std::string& text, const std::string& file, KernelFiles& kernels) {
  constexpr std::string_view kBegin = "#include \"opweave/kernels/";
  constexpr std::string_view kEnd = ".h\"";
  for (size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const size_t begin = at + kBegin.size();
    const size_t end = text.find(kEnd, begin);
    if (end != std::string::npos) kernels[text.substr(begin, end - begin)].push_back(file);
  }
}

KernelFiles find_kernels(const std::string& folder) {
  KernelFiles kernels;
  if (folder.empty() || !fs::is_directory(folder)) return kernels;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cc" && extension != ".cu") continue;
    std::string error;
    if (const auto text = read_file(entry.path().string(), error))
      find_declarations(*text, entry.path().string(), kernels);
  }
  for (auto& [name, files] : kernels) std::sort(files.begin(), files.end());
  return kernels;
}

}  // namespace

int write_docs(const CommandLine& line, const Model& model) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<EmittedFile> files = emit_docs(model, find_kernels(line.kernels));
  std::string error;
  const auto count = write_files(line.out, files, error);
  if (!count) {
    std::fprintf(stderr, "opweave: error: %s\n", error.c_str());
    return 1;
  }
  size_t bytes = 0;
  for (const EmittedFile& file : files) bytes += file.text.size();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%zu files, %.1f MB, in %.2f s: %d written, %d unchanged\n", files.size(),
              static_cast<double>(bytes) / 1e6, spent.count(), count->written, count->unchanged);
  return 0;
}

}  // namespace opweave::codegen
