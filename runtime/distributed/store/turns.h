// What one thread has at a time. A flag rather than a lock, as whoever waits for it is to see
// signals and deadlines; it is free almost always, and then costs next to nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

class Turns {
 public:
  // False where another thread still has it at the deadline. In a forked process nobody has it that
  // is not there.
  bool take(const Deadline& deadline) { return try_take() || wait(deadline); }
  void give_back() noexcept;

 private:
  bool try_take() noexcept;
  bool wait(const Deadline& deadline);
  void tell_first() noexcept;  // under the lock

  std::atomic<uint32_t> held_by_{0};  // or a count of forks, and 1
  std::atomic<int> waiting_{0};
  ForkSafeMutex mutex_;  // of all below
  uint32_t forks_ = 0;
  std::vector<Event*> events_;  // of those that wait
};

}  // namespace opweave::distributed
