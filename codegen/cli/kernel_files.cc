// Finding handwritten kernels, and what they are called in an extension.
#include "codegen/cli/kernel_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "codegen/emit/text/signature.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCuda = "cuda=";

struct Found {
  fs::path path, whole;  // as it was named, and from the root of the file system
  bool for_cuda = false;
};

// What a file is called in an extension; empty for what is neither a kernel nor a header.
std::string name_of(const Found& file) {
  const std::string extension = file.path.extension().string(), stem = file.path.stem().string();
  // Objects are called like their files, up to the last dot.
  if (extension == ".cc" || extension == ".cpp")
    return stem + (file.for_cuda ? "_host" : "") + ".cpp";
  return extension == ".cu" || extension == ".cuh" || extension == ".h" ? stem + extension : "";
}

Found found(const fs::path& path, bool for_cuda) {
  const std::string extension = path.extension().string();
  const bool in_cuda = for_cuda || extension == ".cu" || extension == ".cuh";
  return {path, fs::absolute(path).lexically_normal(), in_cuda};
}

bool find(const std::string& place, std::vector<Found>& files, std::string& error) {
  const bool for_cuda = place.starts_with(kCuda);
  const fs::path path = place.substr(for_cuda ? kCuda.size() : 0);
  std::error_code failed;
  if (fs::is_regular_file(path, failed)) return files.push_back(found(path, for_cuda)), true;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(path, failed)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  if (failed) return error = "--kernels " + path.string() + ": " + failed.message(), false;
  std::ranges::sort(paths);
  for (const fs::path& one : paths) files.push_back(found(one, for_cuda));
  return true;
}

// The folder that all files for one kind of hardware lie in or below.
fs::path common_folder(const std::vector<Found>& files, bool for_cuda) {
  fs::path common;
  for (const Found& file : files) {
    if (file.for_cuda != for_cuda) continue;
    const fs::path folder = file.whole.parent_path();
    if (common.empty()) common = folder;
    const auto [end, _] = std::ranges::mismatch(common, folder);
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

// Beside the headers that an extension has for kernels, of whichever names they are.
const char* root_of(bool for_cuda) {
  return for_cuda ? "csrc/handwritten_cuda" : "csrc/handwritten";
}

bool add(const Found& file, const fs::path& folder, std::vector<KernelFile>& files,
         std::string& error) {
  const std::string name = name_of(file);
  if (name.empty()) return true;
  const fs::path place =
      fs::path(root_of(file.for_cuda)) / file.whole.lexically_relative(folder).parent_path() / name;
  auto text = read_named_file(file.path.string(), error);
  if (!text) return false;
  const auto same = std::ranges::find(files, place.string(), &KernelFile::place);
  if (same == files.end()) {
    files.push_back({file.path.string(), place.string(), std::move(*text)});
  } else if (!fs::equivalent(same->path, file.path)) {
    error =
        "--kernels: there are two files for " + place.string() + ", one is " + file.path.string();
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<KernelFile>> kernel_files(const std::vector<std::string>& places,
                                                    std::string& error) {
  std::vector<Found> all;
  for (const std::string& place : places) {
    if (!find(place, all, error)) return std::nullopt;
  }
  std::erase_if(all, [](const Found& file) { return name_of(file).empty(); });
  const fs::path host = common_folder(all, /*for_cuda=*/false);
  const fs::path cuda = common_folder(all, /*for_cuda=*/true);
  std::vector<KernelFile> files;
  for (const Found& file : all) {
    if (!add(file, file.for_cuda ? cuda : host, files, error)) return std::nullopt;
  }
  return files;
}

EmittedFile emitted(const KernelFile& file) {
  const std::string path = fs::absolute(file.path).string();
  return {file.place, "#line 1 " + codegen::quoted(path) + "\n" + file.text};
}

}  // namespace opweave::codegen
