// One table, which begins with what this library has.
#include "runtime/distributed/backends/registry.h"

#include <algorithm>
#include <mutex>

#include "runtime/core/error.h"
#include "runtime/distributed/backends/fake.h"
#include "runtime/distributed/backends/gloo/gloo_backend.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/nccl/nccl_backend.h"
#include "runtime/distributed/backends/shm/shm_backend.h"

namespace opweave::distributed {
namespace {

struct Registry {
  struct Entry {
    std::string name;
    MakeBackend make;
  };
  std::mutex mutex;
  std::vector<Entry> entries = {
      {"shm", make_shm_backend},
      {"gloo", make_gloo_backend},
      {"nccl",
       [](const BackendContext& context) { return make_nccl_backend(nccl_like(), context); }},
      {"fake", make_fake_backend}};

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

std::shared_ptr<Backend> make_backend(const std::string& name, const BackendContext& context) {
  MakeBackend make;
  {
    const std::lock_guard lock(registry().mutex);
    if (const auto* entry = registry().find(name)) make = entry->make;
  }
  if (make == nullptr) {
    std::string names;
    for (const std::string& one : backend_names()) names += (names.empty() ? "" : ", ") + one;
    OW_THROW(ErrorKind::kValue, "no backend is called '", name, "'; there are ", names);
  }
  return make(context);
}

std::vector<std::string> backend_names() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& entry : registry().entries) names.push_back(entry.name);
  return names;
}

std::string choose_backend(const BackendContext& context) {
  return all_alike(context, "choice", host_identity()) ? "shm" : "gloo";
}

}  // namespace opweave::distributed
