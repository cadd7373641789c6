// Loading of target libraries.
#include "runtime/target/library.h"

#include <dlfcn.h>

#include <map>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave {
namespace {

constexpr const char* kEntry = "opweave_register_target";

// By what the linker gives: the same for two paths to one file.
struct Loaded {
  ForkSafeMutex mutex;
  std::map<void*, Target*> by_handle;
};

Loaded& loaded() {
  static auto* l = new Loaded;
  return *l;
}

}  // namespace

Target& load_target_library(const std::string& path) {
  std::lock_guard lock(loaded().mutex);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  OW_CHECK(library != nullptr, "cannot load target library: ", dlerror());
  Target*& target = loaded().by_handle[library];
  if (target != nullptr) return *target;
  void* entry = dlsym(library, kEntry);
  OW_CHECK(entry != nullptr, "target library ", path, " does not define ", kEntry);
  target = reinterpret_cast<Target* (*)()>(entry)();
  OW_CHECK(target != nullptr, "target library ", path, ": ", kEntry, "() returned no target");
  return *target;
}

}  // namespace opweave
