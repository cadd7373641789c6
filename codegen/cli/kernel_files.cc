// Finding handwritten kernels, and what they are called in an extension.
#include "codegen/cli/kernel_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "codegen/emit/signature.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCuda = "cuda=";

// Where a file of handwritten kernels goes; empty for what is none.
std::string kernel_place(const fs::path& path, bool for_cuda) {
  const std::string extension = path.extension().string(), stem = path.stem().string();
  const bool in_cuda = for_cuda || extension == ".cu" || extension == ".cuh";
  const std::string name = std::string("csrc/kernels/") + (in_cuda ? "cuda/" : "") + stem;
  // Objects are called like their files, up to the last dot.
  if (extension == ".cc" || extension == ".cpp") return name + (in_cuda ? "_host.cpp" : ".cpp");
  // Headers are those that kernels include from their own folder.
  return extension == ".cu" || extension == ".cuh" || extension == ".h" ? name + extension : "";
}

std::optional<std::vector<fs::path>> files_of(const fs::path& place, std::string& error) {
  std::error_code failed;
  if (fs::is_regular_file(place, failed)) return std::vector{place};
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(place, failed)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  if (failed) {
    error = "--kernels " + place.string() + ": " + failed.message();
    return std::nullopt;
  }
  std::ranges::sort(paths);
  return paths;
}

// The compiler speaks of them where they are.
std::optional<std::string> text_of(const fs::path& path, std::string& error) {
  const auto text = read_named_file(path.string(), error);
  if (!text) return std::nullopt;
  return "#line 1 " + codegen::quoted(fs::absolute(path).string()) + "\n" + *text;
}

bool add_file(const fs::path& path, bool for_cuda, std::vector<EmittedFile>& files,
              std::string& error) {
  const std::string place = kernel_place(path, for_cuda);
  if (place.empty()) return true;
  auto text = text_of(path, error);
  if (!text) return false;
  const auto same = std::ranges::find(files, place, &EmittedFile::path);
  if (same == files.end()) {
    files.push_back({place, std::move(*text)});
  } else if (same->text != *text) {
    error = "--kernels: there are two files for " + place + ", one is " + path.string();
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<EmittedFile>> kernel_files(const std::vector<std::string>& places,
                                                     std::string& error) {
  std::vector<EmittedFile> files;
  for (const std::string& place : places) {
    const bool for_cuda = place.starts_with(kCuda);
    const auto paths = files_of(place.substr(for_cuda ? kCuda.size() : 0), error);
    if (!paths) return std::nullopt;
    for (const fs::path& path : *paths) {
      if (!add_file(path, for_cuda, files, error)) return std::nullopt;
    }
  }
  return files;
}

}  // namespace opweave::codegen
