// What is waited for, and since when.
#include "bindings/python/distributed/python_waits.h"

#include "runtime/core/base/str.h"
#include "runtime/distributed/watch/flight_recorder.h"
#include "runtime/distributed/watch/watchdog.h"

namespace opweave::python {

using namespace distributed;

struct PythonWait {
  const PythonCollective& call;
  Deadline deadline;
  bool is_told = false;
  std::string why = {};
};

PythonWaits::PythonWaits() = default;
PythonWaits::~PythonWaits() = default;

PythonWaits::Waiting::Waiting(PythonWaits& waits, const PythonCollective& call) : waits_(waits) {
  const std::lock_guard lock(waits_.mutex_);
  const bool has_limit = call.timeout != Milliseconds::max();
  place_ = waits_.all_.insert(
      waits_.all_.end(), {call, has_limit ? Deadline::after(call.timeout) : Deadline::never()});
}

PythonWaits::Waiting::~Waiting() {
  const std::lock_guard lock(waits_.mutex_);
  waits_.all_.erase(place_);
}

std::string PythonWaits::Waiting::given_up() const {
  const std::lock_guard lock(waits_.mutex_);
  return place_->why;
}

std::string PythonWaits::take_overdue(Deadline::Clock::time_point now, bool gives_up) {
  const std::lock_guard lock(mutex_);
  for (PythonWait& wait : all_) {
    const Deadline limit = wait.deadline.later_by(Watchdog::kGrace);
    if (wait.is_told || limit.is_never() || now < limit.at()) continue;
    wait.is_told = true;
    const std::string why = str(
        wait.call.text, ": its backend, which is written in Python, has not given up after the ",
        "timeout of ", wait.call.timeout.count(), "ms");
    if (!gives_up) return why;
    wait.why = why;
    FlightRecorder::of_process().end(wait.call.record, why);
    return why;
  }
  return {};
}

}  // namespace opweave::python
