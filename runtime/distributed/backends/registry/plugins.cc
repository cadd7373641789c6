// Finding and loading libraries of backends.
#include "runtime/distributed/backends/registry/plugins.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntry = "opweave_register_backend";
constexpr const char* kVariable = "OPWEAVE_BACKENDS";

// What can be part of a file's name; others are no backends' names.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

// The folder of this library; and where that is a link, that of the file itself.
std::vector<fs::path> own_folders() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&load_backend_library), &here) == 0) return {};
  std::error_code ignored;
  const fs::path path = here.dli_fname, file = fs::canonical(path, ignored);
  return {path.parent_path(), file.parent_path()};
}

// Empty where there is none.
fs::path find_library(const std::string& name) {
  const std::string file = str("libopweave_", name, ".so");
  std::vector<fs::path> places;
  if (const char* more = std::getenv(kVariable)) {
    std::istringstream list(more);
    for (std::string place; std::getline(list, place, ':');) {
      if (!place.empty()) places.emplace_back(place);
    }
  }
  for (fs::path& folder : own_folders()) places.push_back(std::move(folder));
  std::error_code ignored;
  for (const fs::path& place : places) {
    const fs::path path = place.filename() == file ? place : place / file;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

}  // namespace

bool load_backend_library(const std::string& name) {
  // By what the linker gives: the same for two paths to one file.
  static auto& registered = *new std::set<void*>;
  const fs::path path = is_plain(name) ? find_library(name) : fs::path();
  if (path.empty()) return false;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  OW_CHECK(library != nullptr, "the library of the backend '", name,
           "' cannot be loaded: ", dlerror());
  void* entry = dlsym(library, kEntry);
  OW_CHECK(entry != nullptr, path.string(), " is no library of the backend '", name,
           "': it does not define ", kEntry, "()");
  if (registered.contains(library)) return true;
  reinterpret_cast<void (*)()>(entry)();
  registered.insert(library);
  return true;
}

}  // namespace opweave::distributed
