// Locks that a forked process can take. Such a process has none of its parent's threads, and would
// wait for ever for a std::mutex that one of them held.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/core/base/no_fork.h"

namespace opweave {

// The process is not forked while a thread holds it, so that a forked one finds whole what it
// guards. For short sections, that wait for no other thread: neither for the interpreter's lock nor
// for a parallel loop.
template <class Mutex>
class BasicForkSafeMutex {
 public:
  constexpr BasicForkSafeMutex() = default;
  void lock() {
    NoFork::enter();
    mutex_.lock();
  }
  void unlock() noexcept {
    mutex_.unlock();
    NoFork::leave();
  }

 private:
  Mutex mutex_;
};
using ForkSafeMutex = BasicForkSafeMutex<std::mutex>;
using ForkSafeRecursiveMutex = BasicForkSafeMutex<std::recursive_mutex>;

// In a forked process it is free, whoever held it when that was forked. For long sections, whose
// data a forked process can use half changed.
class ForkFreedMutex {
 public:
  constexpr ForkFreedMutex() = default;
  ForkFreedMutex(const ForkFreedMutex&) = delete;
  ForkFreedMutex& operator=(const ForkFreedMutex&) = delete;

  void lock() noexcept {
    const uint32_t mine = fork_count() + 1;
    uint32_t expected = kFree;
    // What is not of this process is as good as free.
    while (!held_by_.compare_exchange_strong(expected, mine, std::memory_order_acquire)) {
      if (expected != mine) continue;
      held_by_.wait(mine, std::memory_order_relaxed);
      expected = kFree;
    }
  }
  void unlock() noexcept {
    held_by_.store(kFree, std::memory_order_release);
    held_by_.notify_one();
  }

 private:
  static constexpr uint32_t kFree = 0;
  std::atomic<uint32_t> held_by_{kFree};  // or a count of forks, and 1
};

}  // namespace opweave
