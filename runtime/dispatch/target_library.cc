// Loading of target libraries.
#include "runtime/dispatch/target_library.h"

#include <dlfcn.h>

#include <list>
#include <mutex>

#include "runtime/core/error.h"

namespace opweave {
namespace {

struct Loaded {
  std::mutex mutex;
  std::list<TargetLibrary> libraries;  // addresses stay valid
};

Loaded& loaded() {
  static auto* l = new Loaded;
  return *l;
}

template <class F>
F symbol(void* library, const std::string& path, const char* name) {
  void* address = dlsym(library, name);
  OW_CHECK(address != nullptr, "target library ", path, " does not define ", name);
  return reinterpret_cast<F>(address);
}

const TargetLibrary* find_locked(std::string_view name) {
  for (const TargetLibrary& library : loaded().libraries) {
    if (library.name == name) return &library;
  }
  return nullptr;
}

}  // namespace

const TargetLibrary& load_target_library(const std::string& path) {
  std::lock_guard lock(loaded().mutex);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  OW_CHECK(library != nullptr, "cannot load target library: ", dlerror());
  const std::string name = symbol<const char* (*)()>(library, path, "opweave_target_name")();
  if (const TargetLibrary* known = find_locked(name)) return *known;
  TargetLibrary target{name, path, symbol<int (*)()>(library, path, "opweave_target_device_count"),
                       symbol<void (*)(int)>(library, path, "opweave_target_synchronize")};
  symbol<void (*)()>(library, path, "opweave_register_target")();
  return loaded().libraries.emplace_back(std::move(target));
}

const TargetLibrary* find_target_library(std::string_view name) {
  std::lock_guard lock(loaded().mutex);
  return find_locked(name);
}

std::vector<std::string> loaded_targets() {
  std::lock_guard lock(loaded().mutex);
  std::vector<std::string> names;
  for (const TargetLibrary& library : loaded().libraries) names.push_back(library.name);
  return names;
}

}  // namespace opweave
