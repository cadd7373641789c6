// What a thread has set for autocast.
#include "runtime/autocast/settings.h"

#include "opweave/ops/to.h"
#include "runtime/autocast/state.h"

namespace opweave::autocast {

constinit FunctionalityKey autocast_key{"Autocast", {.above = "Autograd Forward"}};

namespace {

constinit ThreadReference<State> of_thread;

// Copies, changes and sets the thread's state.
template <class F>
void change(F f) {
  auto next = make_intrusive<State>(state());
  f(*next);
  const bool enabled = next->enabled != 0;
  of_thread.set(std::move(next));
  ThreadState& thread = thread_state();
  thread.included =
      enabled ? thread.included | autocast_key.key() : thread.included - autocast_key.key();
}

}  // namespace

State::State() {
  dtypes.fill(kHalf);
  dtypes[static_cast<size_t>(host_device().type)] = kBFloat16;
}

const State& state() {
  static const State* const initial = new State;
  const State* set = of_thread.get();
  return set != nullptr ? *set : *initial;
}

Tensor Cache::cast(const Tensor& leaf, ScalarType dtype) {
  const uint32_t version = leaf.version();
  if (Tensor known = find(leaf, dtype, version); known.defined()) return known;
  // Operators, and what is freed here, may run user code: not under the lock.
  Entry entry{leaf, opweave::to(leaf, dtype), version};
  const Tensor value = entry.value;
  const std::lock_guard lock(mutex_);
  std::swap(entries_[leaf.impl()], entry);
  return value;
}

Tensor Cache::find(const Tensor& leaf, ScalarType dtype, uint32_t version) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(leaf.impl());
  if (found == entries_.end()) return {};
  const Entry& entry = found->second;
  // One made without recording has no gradient to give.
  const bool records = entry.value.requires_grad() || !grad_enabled();
  return records && entry.version == version && entry.value.dtype() == dtype ? entry.value
                                                                             : Tensor();
}

void Cache::clear() {
  std::unordered_map<const TensorImpl*, Entry> dropped;  // freed without the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(entries_);
}

bool is_enabled(DeviceType type) { return state().is_enabled(type); }
void set_enabled(DeviceType type, bool enabled) {
  change([&](State& s) {
    const uint32_t bit = uint32_t{1} << static_cast<int>(type);
    s.enabled = enabled ? s.enabled | bit : s.enabled & ~bit;
  });
}

ScalarType dtype_of(DeviceType type) { return state().dtype_of(type); }
void set_dtype(DeviceType type, ScalarType dtype) {
  change([&](State& s) { s.dtypes[static_cast<size_t>(type)] = dtype; });
}

bool is_cache_enabled() { return state().cache_enabled; }
void set_cache_enabled(bool enabled) {
  change([&](State& s) { s.cache_enabled = enabled; });
}
void clear_cache() { state().cache->clear(); }

int increment_nesting() {
  change([](State& s) {
    // The outermost region has a cache of its own: threads of another one may still use theirs.
    if (s.nesting++ == 0) s.cache = make_intrusive<Cache>();
  });
  return state().nesting;
}
int decrement_nesting() {
  change([](State& s) { --s.nesting; });
  return state().nesting;
}

}  // namespace opweave::autocast
