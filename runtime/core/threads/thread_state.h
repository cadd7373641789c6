// The thread-local state of dispatch and grad mode, and the guards that change it.
#pragma once

#include <array>
#include <atomic>
#include <type_traits>

#include "runtime/core/base/ref_counted.h"
#include "runtime/core/threads/dispatch_key_set.h"

namespace opweave {

// How many values functionalities keep for each thread, all together.
inline constexpr int kThreadSlots = 8;

// Plain data: copying it copies pointers, without their references. ThreadStateGuard and
// SavedThreadState hold those.
struct ThreadState {
  // kADInplaceOrView: tensors made in inference mode do not carry it, but outside of that mode
  // writes to them and views of them have to be noticed. kGlobalObserver: counts where an operator
  // is observed by all threads.
  DispatchKeySet included =
      DispatchKeySet(DispatchKey::kADInplaceOrView) | DispatchKey::kGlobalObserver;
  DispatchKeySet excluded = opt_in_keys();
  bool grad_enabled = true;
  bool inference_mode = false;
  // A functionality keeps values beside tensors that their copies have to share (companion.h).
  bool companions = false;
  // Which of the slots hold a reference.
  uint8_t references = 0;
  // What functionalities keep: ThreadValue and ThreadReference.
  std::array<uint64_t, kThreadSlots> slots{};
};

namespace detail {
extern constinit thread_local ThreadState thread_state;
void retain_slots(const ThreadState& state);
void release_slots(const ThreadState& state);
void change_thread_state(const ThreadState& state);
// The next free one; an internal error when there is none.
int take_thread_slot();
}  // namespace detail
inline ThreadState& thread_state() { return detail::thread_state; }

// A thread's state, to be taken up by another thread or later.
class SavedThreadState {
 public:
  SavedThreadState() : SavedThreadState(thread_state()) {}
  explicit SavedThreadState(const ThreadState& state) : state_(state) {
    if (state_.references != 0) [[unlikely]]
      detail::retain_slots(state_);
  }
  ~SavedThreadState() {
    if (state_.references != 0) [[unlikely]]
      detail::release_slots(state_);
  }
  SavedThreadState(const SavedThreadState&) = delete;

  const ThreadState& state() const { return state_; }

 private:
  const ThreadState state_;
};

// Sets the whole state and restores it; the engine and the threads of the pool use it to run in the
// state of the caller.
class ThreadStateGuard {
 public:
  ThreadStateGuard() = default;
  explicit ThreadStateGuard(const ThreadState& state) { change_to(state); }
  ~ThreadStateGuard() { change_to(saved_.state()); }
  ThreadStateGuard(const ThreadStateGuard&) = delete;

 private:
  static void change_to(const ThreadState& state) {
    if ((state.references | thread_state().references) != 0) [[unlikely]]
      return detail::change_thread_state(state);
    thread_state() = state;
  }

  SavedThreadState saved_;
};

// --- what functionalities keep for each thread ---------------------------------------------------
// Saved, restored and taken to other threads with the rest of the state. One object of each kind is
// a constant of the program; its place is found when it is first set.
namespace detail {
class ThreadSlot {
 protected:
  constexpr ThreadSlot() = default;
  // -1: set by no thread yet.
  int find() const { return index_.load(std::memory_order_relaxed); }
  int make();
  uint64_t read() const {
    const int i = find();
    return i < 0 ? 0 : detail::thread_state.slots[static_cast<size_t>(i)];
  }

 private:
  std::atomic<int> index_{-1};
};
}  // namespace detail

// A small value; zero bytes at first.
template <class T>
class ThreadValue : detail::ThreadSlot {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);

 public:
  constexpr ThreadValue() = default;
  T get() const {
    const uint64_t bits = read();
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
  }
  void set(T value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    thread_state().slots[static_cast<size_t>(make())] = bits;
  }
};

// A counted object, null at first. Not changed after it is set: other threads may have it as well.
template <class T>
class ThreadReference : detail::ThreadSlot {
 public:
  constexpr ThreadReference() = default;
  const T* get() const {
    return static_cast<const T*>(reinterpret_cast<const RefCounted*>(read()));
  }
  void set(intrusive_ptr<const T> object) {
    const int i = make();
    ThreadState& state = thread_state();
    const intrusive_ptr<const T> previous = intrusive_ptr<const T>::adopt(get());
    const RefCounted* const held = object.detach();
    state.slots[static_cast<size_t>(i)] = reinterpret_cast<uint64_t>(held);
    const auto bit = static_cast<uint8_t>(1U << i);
    state.references =
        static_cast<uint8_t>(held != nullptr ? state.references | bit : state.references & ~bit);
  }
};

// --- dispatch keys -------------------------------------------------------------------------------

class ExcludeDispatchKeys {
 public:
  explicit ExcludeDispatchKeys(DispatchKeySet keys)
      : state_(thread_state()), saved_(state_.excluded) {
    state_.excluded = saved_ | keys;
  }
  ~ExcludeDispatchKeys() { state_.excluded = saved_; }
  ExcludeDispatchKeys(const ExcludeDispatchKeys&) = delete;

 private:
  ThreadState& state_;  // finding it takes a call, in a shared library
  DispatchKeySet saved_;
};

class IncludeDispatchKeys {
 public:
  explicit IncludeDispatchKeys(DispatchKeySet keys)
      : state_(thread_state()), saved_(state_.included) {
    state_.included = saved_ | keys;
  }
  ~IncludeDispatchKeys() { state_.included = saved_; }
  IncludeDispatchKeys(const IncludeDispatchKeys&) = delete;

 private:
  ThreadState& state_;
  DispatchKeySet saved_;
};

// What an autograd kernel holds while it calls the operator below itself.
struct BelowAutograd : ExcludeDispatchKeys {
  BelowAutograd() : ExcludeDispatchKeys(DispatchKey::kAutograd) {}
};
// What a kernel holds while it implements a view or an in-place operator by others of that kind.
struct BelowADInplaceOrView : ExcludeDispatchKeys {
  BelowADInplaceOrView()
      : ExcludeDispatchKeys(DispatchKeySet(DispatchKey::kAutograd) |
                            DispatchKey::kADInplaceOrView) {}
};

// --- grad mode and inference mode ----------------------------------------------------------------

inline bool grad_enabled() { return thread_state().grad_enabled; }
inline bool inference_mode_enabled() { return thread_state().inference_mode; }

// Grad mode off also keeps calls from visiting autograd kernels at all. In-place and view operators
// are still tracked, so that what they change is known when gradients are wanted again.
inline void set_grad_enabled(bool enabled) {
  ThreadState& state = thread_state();
  state.grad_enabled = enabled;
  state.excluded =
      enabled ? state.excluded - DispatchKey::kAutograd : state.excluded | DispatchKey::kAutograd;
}

class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) { set_grad_enabled(enabled); }

 private:
  ThreadStateGuard restore_;  // constructed first: saves, and restores last
};
struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};

// Inference mode: new tensors carry neither kAutograd nor kADInplaceOrView. Leaves the grad mode as
// it is; the guard turns it off, too.
inline void set_inference_mode_enabled(bool enabled) {
  ThreadState& state = thread_state();
  state.inference_mode = enabled;
  state.included = enabled ? state.included - DispatchKey::kADInplaceOrView
                           : state.included | DispatchKey::kADInplaceOrView;
}

class InferenceModeGuard {
 public:
  explicit InferenceModeGuard(bool enabled = true) {
    set_inference_mode_enabled(enabled);
    set_grad_enabled(!enabled);
  }

 private:
  ThreadStateGuard restore_;
};

}  // namespace opweave
