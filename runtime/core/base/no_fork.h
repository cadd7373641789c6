// NoFork: a process is not forked while a thread is within one. A forked process has that thread's
// locks and not the thread, and would wait for ever for what it held; so whoever takes a lock that
// a forked process may want has one of these around it:
//
//   const NoFork stay;
//   const std::lock_guard lock(mutex);
//
// or is a ForkSafeMutex (fork_safe_mutex.h), which is both.
// This is the one place that knows of forks: no lock has handlers of its own, and there is no order
// of locks to keep. Locks of which a forked process has to mend more than that use `at_fork`.
#pragma once

#include <cstdint>

namespace opweave {

class NoFork {
 public:
  NoFork() noexcept { enter(); }
  ~NoFork() { leave(); }
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;

  // Waits while another thread forks, unless this thread is within one already.
  static void enter() noexcept;
  static void leave() noexcept;
};

// What is done around every fork from now on, while no thread but the one that forks is within a
// NoFork: `before` in the reverse order of these calls, `after` (in the parent) and `in_child` in
// their order. None of them may throw.
struct ForkHandlers {
  void (*before)();
  void (*after)();
  void (*in_child)();
};
void at_fork(const ForkHandlers& handlers);

// How often this process was forked from another, from the one that the program began with: what
// was made at another count is of a process that has other threads.
uint32_t fork_count() noexcept;

}  // namespace opweave
