// How long one call of a store may take, all that it does for it together.
#pragma once

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

struct TimeLimit {
  Milliseconds timeout;  // as errors say it
  Deadline deadline;

  static TimeLimit after(Milliseconds timeout) { return {timeout, Deadline::after(timeout)}; }
  // This one, or the other where that is over before.
  TimeLimit or_earlier(const TimeLimit& other) const;
};

// While it lives, calls of stores by this thread end by this limit, whatever timeouts the stores
// have; waits with a timeout of their own end by either. The innermost one counts.
class TimeLimitScope {
 public:
  explicit TimeLimitScope(const TimeLimit& limit);
  explicit TimeLimitScope(Milliseconds timeout) : TimeLimitScope(TimeLimit::after(timeout)) {}
  ~TimeLimitScope();
  TimeLimitScope(const TimeLimitScope&) = delete;
  TimeLimitScope& operator=(const TimeLimitScope&) = delete;

  // That of this thread; nullptr where there is none.
  static const TimeLimit* current();

 private:
  const TimeLimit limit_;
  const TimeLimit* const before_;
};

}  // namespace opweave::distributed
