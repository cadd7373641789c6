// ProcessGroup: processes that compute together, as operators see them. What carries their
// collectives out lies above (runtime/distributed/backends): the core knows this face alone.
#pragma once

#include <memory>
#include <string>

#include "runtime/distributed/group/collective.h"
#include "runtime/distributed/group/work.h"

namespace opweave::distributed {

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  virtual int rank() const = 0;  // of this process, in the group
  virtual int size() const = 0;
  virtual const std::string& name() const = 0;
  // Checks the call, counts it and hands it to the backend of its tensors' device. Without `async`
  // the work is done when this returns. RuntimeError, ValueError for what cannot be; what goes
  // wrong later is the work's.
  virtual WorkPtr start(Collective collective) = 0;
  // Sends and receives that this thread starts between the two begin together, so that those of one
  // rank may wait for one another; their works can be waited for from the second on.
  virtual void begin_batch() {}
  virtual void end_batch() {}
  // Ends, on all ranks, what runs and whatever is called later, with this reason.
  virtual void abort(const std::string& reason) = 0;
  // This rank takes part no more.
  virtual void leave() = 0;
};

using ProcessGroupPtr = std::shared_ptr<ProcessGroup>;

}  // namespace opweave::distributed
