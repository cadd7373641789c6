// The operator table and fallbacks.
#include "runtime/dispatch/registry.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/observer.h"

namespace opweave {
namespace {

struct Registry {
  std::unordered_map<std::string, OperatorEntry*> by_name;
  std::unordered_map<std::string, std::vector<OperatorEntry*>> by_base;
  std::vector<OperatorEntry*> in_order;
  std::map<DispatchKey, BoxedKernel> fallbacks;
};

Registry& registry() {
  static auto* r = new Registry;  // operators may be looked up until process exit
  return *r;
}

void add(OperatorEntry* entry) {
  Registry& r = registry();
  const auto [it, fresh] = r.by_name.emplace(entry->full_name(), entry);
  OW_CHECK(fresh || it->second == entry, "operator '", it->first, "' is registered already, as ",
           it->second->def().schema);
  if (!fresh) return;
  r.by_base[std::string(entry->def().name)].push_back(entry);
  r.in_order.push_back(entry);
  entry->set_observed(observed_by_all());
  if (!entry->def().record.takes_complex) entry->refuse_complex();
  apply_rules(*entry);
  for (const auto& [key, kernel] : r.fallbacks) {
    if (!entry->has_kernel(key)) entry->set_boxed_kernel(key, kernel, /*from_fallback=*/true);
  }
}

}  // namespace

ForkSafeRecursiveMutex& registry_mutex() {
  static auto* mutex = new ForkSafeRecursiveMutex;
  return *mutex;
}

void register_operators(std::span<OperatorEntry* const> entries) {
  std::lock_guard lock(registry_mutex());
  for (OperatorEntry* entry : entries) add(entry);
}

void unregister_operator(const OperatorEntry& entry) {
  std::lock_guard lock(registry_mutex());
  Registry& r = registry();
  const auto same = [&](const OperatorEntry* e) { return e == &entry; };
  r.by_name.erase(entry.full_name());
  std::erase_if(r.by_base[std::string(entry.def().name)], same);
  std::erase_if(r.in_order, same);
}

OperatorEntry* find_operator(std::string_view full_name) {
  std::lock_guard lock(registry_mutex());
  const auto it = registry().by_name.find(std::string(full_name));
  return it == registry().by_name.end() ? nullptr : it->second;
}

std::vector<OperatorEntry*> find_overloads(std::string_view name) {
  std::lock_guard lock(registry_mutex());
  const auto it = registry().by_base.find(std::string(name));
  return it == registry().by_base.end() ? std::vector<OperatorEntry*>() : it->second;
}

std::vector<OperatorEntry*> all_operators() {
  std::lock_guard lock(registry_mutex());
  return registry().in_order;
}

void register_fallback(DispatchKey key, BoxedKernel kernel) {
  std::lock_guard lock(registry_mutex());
  OW_CHECK(!registry().fallbacks.contains(key), "a fallback for '", key_name(key),
           "' is registered already");
  for (OperatorEntry* entry : registry().in_order) {
    if (!entry->has_kernel(key)) entry->set_boxed_kernel(key, kernel, /*from_fallback=*/true);
  }
  registry().fallbacks.emplace(key, std::move(kernel));
}

void remove_fallback(DispatchKey key) {
  std::lock_guard lock(registry_mutex());
  if (registry().fallbacks.erase(key) == 0) return;
  for (OperatorEntry* entry : registry().in_order) {
    if (entry->uses_fallback(key)) entry->remove_kernel(key);
  }
}

const BoxedKernel* registered_fallback(DispatchKey key) {
  const auto it = registry().fallbacks.find(key);
  return it == registry().fallbacks.end() ? nullptr : &it->second;
}

}  // namespace opweave
