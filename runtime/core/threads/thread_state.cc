// The thread-local state itself, and its slots.
#include "runtime/core/threads/thread_state.h"

#include <mutex>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave {
namespace {

template <class F>
void for_each_reference(const ThreadState& state, F f) {
  for (int i = 0; i < kThreadSlots; ++i) {
    if ((state.references >> i & 1) == 0) continue;
    f(reinterpret_cast<const RefCounted*>(state.slots[static_cast<size_t>(i)]));
  }
}

}  // namespace

namespace detail {

constinit thread_local ThreadState thread_state;

void retain_slots(const ThreadState& state) {
  for_each_reference(state, [](const RefCounted* object) { object->retain(); });
}
void release_slots(const ThreadState& state) {
  for_each_reference(state, [](const RefCounted* object) { object->release(); });
}
void change_thread_state(const ThreadState& state) {
  const ThreadState previous = thread_state;
  retain_slots(state);
  thread_state = state;
  release_slots(previous);
}

int take_thread_slot() {
  static std::atomic<int> taken{0};
  const int index = taken.fetch_add(1);
  OW_INTERNAL_ASSERT(index < kThreadSlots, "all of the ", kThreadSlots,
                     " values that functionalities may keep for a thread are taken");
  return index;
}

int ThreadSlot::make() {
  if (const int index = find(); index >= 0) return index;
  static ForkSafeMutex mutex;
  const std::lock_guard lock(mutex);
  if (find() < 0) index_.store(take_thread_slot(), std::memory_order_relaxed);
  return find();
}

}  // namespace detail
}  // namespace opweave
