// One object for a process and none of its parent's: a forked process makes its own, as those of
// the parent may be locked by threads that it has not got.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/base/no_fork.h"

namespace opweave {

// Constant initialised. What it makes lives as long as the process: threads may use it to the end.
template <class T>
class OfProcess {
 public:
  template <class Make>
  T& get(Make make) {
    Made* made = made_.load(std::memory_order_acquire);
    const uint32_t process = fork_count();
    while (made == nullptr || made->process != process) {
      Made* mine = new Made{process, make()};
      if (made_.compare_exchange_strong(made, mine)) return *mine->object;
      delete mine->object;
      delete mine;
    }
    return *made->object;
  }

 private:
  struct Made {
    uint32_t process;  // its count of forks
    T* object;
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace opweave
