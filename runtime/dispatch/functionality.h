// Functionalities: what takes part in calls beside backends and autograd. Each has a dispatch key
// with a place in the order, and rules: kernels for that key. docs/functionality.md shows how to
// add one; forward-mode differentiation (runtime/forward) and vmap (runtime/batching) are two.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/core/threads/dispatch_key_set.h"

namespace opweave {

class OperatorEntry;

// Where a functionality sees calls: names of keys, with blanks between. Names that nobody has
// registered yet count as soon as somebody does. Without any: above all that there are.
struct FunctionalityPlace {
  std::string_view above = {}, below = {};
  // Threads exclude the key until they ask for it, also where tensors carry it.
  bool opt_in = false;
};

// Hands out a key by name; the same name gives the same key. RuntimeError when the place
// contradicts those of others, or there is no room.
DispatchKey register_functionality(std::string_view name, FunctionalityPlace place = {});

// Calls `rule` for every operator, now and later, once for each: it may register a kernel for `key`
// by what the operator's record says. A second call replaces the first for operators to come.
using FunctionalityRule = std::function<void(OperatorEntry& op, DispatchKey key)>;
void register_rule(DispatchKey key, FunctionalityRule rule);

// A functionality's key as a constant of the program, for those who ask on every call.
class FunctionalityKey {
 public:
  constexpr explicit FunctionalityKey(std::string_view name, FunctionalityPlace place = {})
      : name_(name), place_(place) {}

  // Empty until the key is first asked for: nothing carries it before.
  DispatchKeySet keys() const {
    return DispatchKeySet::from_bits(bits_.load(std::memory_order_relaxed));
  }
  DispatchKey key() {
    if (keys().empty()) [[unlikely]]
      bits_.store(DispatchKeySet(register_functionality(name_, place_)).bits());
    return keys().highest();
  }

 private:
  std::string_view name_;
  FunctionalityPlace place_;
  std::atomic<uint64_t> bits_{0};
};

// "cpu", "Autograd", …; empty for a number that is not in use.
std::string key_name(DispatchKey key);
// The key of a name; RuntimeError with all names when there is none.
DispatchKey parse_key(std::string_view name);

// --- for the registry ----------------------------------------------------------------------------
void apply_rules(OperatorEntry& op);

}  // namespace opweave
