// A flag, and events of those that found it taken.
#include "runtime/distributed/store/turns.h"

#include <algorithm>

namespace opweave::distributed {

bool Turns::try_take() noexcept {
  const uint32_t mine = fork_count() + 1;
  uint32_t expected = 0;
  while (!held_by_.compare_exchange_strong(expected, mine)) {
    if (expected == mine) return false;
  }
  return true;
}

// Either who gives it back sees that somebody waits, or who waits sees that it is free.
bool Turns::wait(const Deadline& deadline) {
  Event event;
  struct Waiting {
    Turns& turns;
    Event& event;
    Waiting(Turns& all, Event& own) : turns(all), event(own) {
      ++turns.waiting_;
      const std::lock_guard lock(turns.mutex_);
      // Those of threads that a forked process has not got.
      if (turns.forks_ != fork_count()) turns.events_.clear();
      turns.forks_ = fork_count();
      turns.events_.push_back(&event);
    }
    ~Waiting() {
      --turns.waiting_;
      const std::lock_guard lock(turns.mutex_);
      std::erase(turns.events_, &event);
      // Whoever was told and had no time left tells the next.
      if (turns.held_by_ == 0) turns.tell_first();
    }
  } waiting(*this, event);
  while (!try_take()) {
    if (!event.wait(deadline)) return false;
    event.clear();
  }
  return true;
}

void Turns::give_back() noexcept {
  held_by_.store(0);
  if (waiting_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (forks_ == fork_count()) tell_first();
}

void Turns::tell_first() noexcept {
  if (!events_.empty()) events_.front()->set();
}

}  // namespace opweave::distributed
