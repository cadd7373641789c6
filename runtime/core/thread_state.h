// The thread-local state of dispatch and grad mode, and the guards that change it.
#pragma once

#include "runtime/core/dispatch_key_set.h"

namespace opweave {

struct ThreadState {
  // kADInplaceOrView: tensors made in inference mode do not carry it, but outside of that mode
  // writes to them and views of them have to be noticed.
  DispatchKeySet included = DispatchKey::kADInplaceOrView;
  // kForward: unless a level of forward-mode differentiation is seen.
  DispatchKeySet excluded = DispatchKey::kForward;
  bool grad_enabled = true;
  bool inference_mode = false;
  // Of forward-mode differentiation (see runtime/forward): the levels that are open, and the
  // highest of them whose tangents operators see.
  int32_t forward_depth = 0;
  int32_t forward_limit = 0;
};

namespace detail {
extern constinit thread_local ThreadState thread_state;
}
inline ThreadState& thread_state() { return detail::thread_state; }

// Sets the whole state and restores it; the engine uses it to run backward in the state of the
// caller.
class ThreadStateGuard {
 public:
  ThreadStateGuard() : saved_(thread_state()) {}
  explicit ThreadStateGuard(const ThreadState& state) : saved_(thread_state()) {
    thread_state() = state;
  }
  ~ThreadStateGuard() { thread_state() = saved_; }
  ThreadStateGuard(const ThreadStateGuard&) = delete;

 private:
  ThreadState saved_;
};

class ExcludeDispatchKeys {
 public:
  explicit ExcludeDispatchKeys(DispatchKeySet keys) : saved_(thread_state().excluded) {
    thread_state().excluded = saved_ | keys;
  }
  ~ExcludeDispatchKeys() { thread_state().excluded = saved_; }
  ExcludeDispatchKeys(const ExcludeDispatchKeys&) = delete;

 private:
  DispatchKeySet saved_;
};

class IncludeDispatchKeys {
 public:
  explicit IncludeDispatchKeys(DispatchKeySet keys) : saved_(thread_state().included) {
    thread_state().included = saved_ | keys;
  }
  ~IncludeDispatchKeys() { thread_state().included = saved_; }
  IncludeDispatchKeys(const IncludeDispatchKeys&) = delete;

 private:
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

// Which tangents operators see from now on: those of levels up to `limit`.
inline void set_forward_limit(int32_t limit) {
  ThreadState& state = thread_state();
  state.forward_limit = limit;
  state.excluded =
      limit > 0 ? state.excluded - DispatchKey::kForward : state.excluded | DispatchKey::kForward;
}

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
