// The limit of a thread.
#include "runtime/distributed/store/time_limit.h"

namespace opweave::distributed {
namespace {

thread_local const TimeLimit* in_force = nullptr;

}  // namespace

TimeLimit TimeLimit::or_earlier(const TimeLimit& other) const {
  return other.deadline.at() < deadline.at() ? other : *this;
}

TimeLimitScope::TimeLimitScope(const TimeLimit& limit) : limit_(limit), before_(in_force) {
  in_force = &limit_;
}

TimeLimitScope::~TimeLimitScope() { in_force = before_; }

const TimeLimit* TimeLimitScope::current() { return in_force; }

}  // namespace opweave::distributed
