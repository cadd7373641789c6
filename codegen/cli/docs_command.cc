// Writing of the reference documentation.
#include "codegen/cli/docs_command.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "codegen/cli/report.h"
#include "codegen/docs/docs.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDeclarations = "#include \"opweave/kernels/";

// The name of the function whose definition begins in a line: `Tensor sum(const Tensor& self,`.
std::string defined_in(std::string_view line) {
  const size_t paren = line.find('(');
  if (paren == std::string_view::npos || line.ends_with(';') || !std::isalpha(line.front()))
    return "";
  const auto is_part = [](char c) { return std::isalnum(c) || c == '_'; };
  size_t begin = paren;
  while (begin > 0 && is_part(line[begin - 1])) --begin;
  const bool is_method = begin > 0 && line[begin - 1] == ':';
  return is_method ? "" : std::string(line.substr(begin, paren - begin));
}

KernelSource read_kernels(const std::string& path, const std::string& text) {
  KernelSource file{path, {}, {}};
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with(kDeclarations)) {
      const std::string_view name = std::string_view(line).substr(kDeclarations.size());
      file.includes.emplace(name.substr(0, name.rfind(".h\"")));
    } else if (const std::string name = line.empty() ? "" : defined_in(line); !name.empty()) {
      file.functions.emplace(name, number);
    }
  }
  return file;
}

std::vector<KernelSource> find_kernels(const std::string& folder) {
  std::vector<KernelSource> kernels;
  if (folder.empty() || !fs::is_directory(folder)) return kernels;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cc" && extension != ".cu") continue;
    std::string error;
    if (const auto text = read_file(entry.path().string(), error))
      kernels.push_back(read_kernels(entry.path().string(), *text));
  }
  std::ranges::sort(kernels, {}, &KernelSource::path);
  return kernels;
}

// Lines such as `mm: float32, float64`.
std::map<std::string, std::string> read_dtypes(const std::string& text) {
  std::map<std::string, std::string> dtypes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (!line.starts_with('#') && colon != std::string::npos)
      dtypes.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return dtypes;
}

std::optional<DocsInput> read_docs_input(const CommandLine& line, std::string& error) {
  DocsInput input{find_kernels(line.kernels.empty() ? "" : line.kernels.back()), {}, {}};
  if (!line.kernel_dtypes.empty()) {
    const auto text = read_named_file(line.kernel_dtypes, error);
    if (!text) return std::nullopt;
    input.dtypes = read_dtypes(*text);
  }
  for (const std::string& path : line.guides) {
    const auto text = read_named_file(path, error);
    if (!text) return std::nullopt;
    input.guides.push_back({path, *text});
  }
  return input;
}

}  // namespace

int write_docs(const CommandLine& line, const Model& model) {
  const auto start = std::chrono::steady_clock::now();
  std::string error;
  std::vector<EmittedFile> files;
  std::optional<WriteCount> count;
  if (const auto input = read_docs_input(line, error)) {
    files = emit_docs(model, *input);
    count = write_files(line.out, files, error);
  }
  if (!count) return fail(error);
  size_t bytes = 0;
  for (const EmittedFile& file : files) bytes += file.text.size();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%zu files, %.1f MB, in %.2f s: %d written, %d unchanged\n", files.size(),
              static_cast<double>(bytes) / 1e6, spent.count(), count->written, count->unchanged);
  return 0;
}

}  // namespace opweave::codegen
