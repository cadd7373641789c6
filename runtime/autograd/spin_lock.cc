// Waiting for a lock that is free in a moment, or was left by a thread of another process.
#include "runtime/autograd/spin_lock.h"

#include <chrono>
#include <thread>

#include "runtime/core/base/no_fork.h"

namespace opweave {

void SpinLock::wait() noexcept {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  while (flag_.test_and_set(std::memory_order_acquire)) {
    std::this_thread::yield();
    if (fork_count() > 0 && Clock::now() - begin > std::chrono::seconds(1)) return;
  }
}

}  // namespace opweave
