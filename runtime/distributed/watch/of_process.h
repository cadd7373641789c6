// One object for a process and none of its parent's: a forked process makes its own, as those of
// the parent may be locked by threads that it has not got.
#pragma once

#include <unistd.h>

#include <atomic>

namespace opweave::distributed {

// Constant initialised. What it makes lives as long as the process: threads may use it to the end.
template <class T>
class OfProcess {
 public:
  template <class Make>
  T& get(Make make) {
    Made* made = made_.load(std::memory_order_acquire);
    const pid_t process = getpid();
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
    pid_t process;
    T* object;
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace opweave::distributed
