// EventState: what a target knows of an event. Users hold an Event (event.h).
#pragma once

#include "runtime/core/devices/device.h"

namespace opweave {

struct EventOptions {
  bool timing = false;        // for elapsed_time()
  bool blocking = false;      // synchronize() sleeps rather than spins, where there is a choice
  bool interprocess = false;  // may be shared with other processes, where the target can
};

class EventState {
 public:
  virtual ~EventState() = default;
  // Behind the work that the stream has now. Again: forgets what was recorded before.
  virtual void record(int index, StreamId stream) = 0;
  // Work that the stream gets from now on waits until the event has happened.
  virtual void block(int index, StreamId stream) = 0;
  virtual bool happened() = 0;
  virtual void synchronize() = 0;
  // From this event to `end`; both have happened and take the time.
  virtual double milliseconds_to(EventState& end) = 0;
};

}  // namespace opweave
