// SpinLock: one byte, for sections of a few instructions. A forked process may find one that a
// thread of its parent held, and takes it after a second, which no holder of its own needs.
#pragma once

#include <atomic>

namespace opweave {

class SpinLock {
 public:
  void lock() noexcept {
    if (flag_.test_and_set(std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  void wait() noexcept;

  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

}  // namespace opweave
