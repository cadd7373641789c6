// One table, which begins with what this library has, and grows by what others register.
#include "runtime/distributed/backends/registry/registry.h"

#include <algorithm>
#include <map>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/backends/fake/fake_backend.h"
#include "runtime/distributed/backends/gloo/gloo_backend.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/nccl/nccl_backend.h"
#include "runtime/distributed/backends/registry/plugins.h"
#include "runtime/distributed/backends/registry/together.h"
#include "runtime/distributed/backends/shm/shm_backend.h"

namespace opweave::distributed {
namespace {

struct Registry {
  struct Entry {
    std::string name;
    MakeBackend make;
  };
  ForkSafeMutex mutex;
  std::vector<Entry> entries = {
      {"shm", make_shm_backend},
      {"gloo", make_gloo_backend},
      {"nccl",
       [](const BackendContext& context) { return make_nccl_backend(nccl_like(), context); }},
      {"fake", make_fake_backend}};

  std::map<std::string, Starter> starters;

  const Entry* find(const std::string& name) const {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
  }
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void register_backend(const std::string& name, MakeBackend make) {
  const std::lock_guard lock(registry().mutex);
  OW_CHECK_VALUE(registry().find(name) == nullptr, "there is a backend '", name, "' already");
  registry().entries.push_back({name, std::move(make)});
}

namespace {

MakeBackend registered(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  const auto* entry = registry().find(name);
  return entry == nullptr ? nullptr : entry->make;
}

// Null where there is none.
MakeBackend find_backend(const std::string& name) {
  if (MakeBackend make = registered(name)) return make;
  // Not that of the table, which the library will ask for.
  static ForkFreedMutex loading;
  const std::lock_guard lock(loading);
  if (MakeBackend make = registered(name)) return make;  // by a thread that was quicker
  if (!load_backend_library(name)) return nullptr;
  MakeBackend make = registered(name);
  OW_CHECK(make != nullptr, "the library libopweave_", name, ".so registers no backend '", name,
           "'");
  return make;
}

}  // namespace

bool has_backend(const std::string& name) { return find_backend(name) != nullptr; }

std::shared_ptr<Backend> make_backend(const std::string& name, const BackendContext& context) {
  const MakeBackend make = find_backend(name);
  if (make == nullptr) {
    std::string names;
    for (const std::string& one : backend_names()) names += (names.empty() ? "" : ", ") + one;
    OW_THROW(ErrorKind::kValue, "no backend is called '", name, "'; there are ", names);
  }
  const TimeLimitScope scope(making_limit(context));
  return make_together(make, context);
}

std::vector<std::string> backend_names() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& entry : registry().entries) names.push_back(entry.name);
  return names;
}

void register_starter(const std::string& backend, Starter starter) {
  const std::lock_guard lock(registry().mutex);
  registry().starters[backend] = std::move(starter);
}

std::optional<Starter> find_starter(const std::string& backend) {
  if (!has_backend(backend)) return std::nullopt;
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().starters.find(backend);
  return found == registry().starters.end() ? std::nullopt : std::optional(found->second);
}

std::string choose_backend(const BackendContext& context) {
  const TimeLimitScope scope(making_limit(context));
  return all_alike(context, "choice", host_identity()) ? "shm" : "gloo";
}

}  // namespace opweave::distributed
