// Watched: what the watchdog and its reports see of a group.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/group/work.h"
#include "runtime/distributed/watch/record.h"

namespace opweave::distributed {

// How far one of a group's queues has come: what was called, has begun and has ended last.
struct Progress {
  struct Last {
    int64_t sequence = -1;  // none yet
    CollectiveKind kind{};
  };
  std::string_view queue;  // "collectives", "sends", "receives"
  Last queued, started, completed;
  size_t waiting = 0;  // have not begun
};

// Collectives of a device's tensors that went through memory of the host, and the bytes that were
// copied for them, there and back.
struct Staged {
  uint64_t collectives = 0, nbytes = 0;
};

class Watched {
 public:
  virtual ~Watched() = default;
  virtual const std::shared_ptr<const GroupName>& group_name() const = 0;
  // Ends what should have ended before now, if its backend did not see to that; returns why, once
  // for each.
  virtual std::string end_overdue(Work::Clock::time_point now) = 0;
  // Why the group has failed, on whichever rank; empty where it has not.
  virtual std::string failure() const = 0;
  virtual std::vector<Progress> progress() const = 0;
  virtual Staged staged() const { return {}; }
};

}  // namespace opweave::distributed
