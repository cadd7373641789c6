// DeviceWork: the work of backends that run on a device. Waiting for it holds up a stream of the
// caller and not the caller.
#pragma once

#include "runtime/distributed/backends/device_backend.h"
#include "runtime/distributed/backends/groups/queued_work.h"

namespace opweave::distributed {

class DeviceWork final : public QueuedWork {
 public:
  // With `blocks`, whoever waits does so himself (TORCH_NCCL_BLOCKING_WAIT).
  DeviceWork(Collective collective, FlightRecorder& recorder, uint64_t record, bool blocks)
      : QueuedWork(std::move(collective), recorder, record), blocks_(blocks) {}

  // Once, before anybody else has it.
  void set_launched(std::unique_ptr<Launched> launched) { launched_ = std::move(launched); }
  // Null of one that could not be launched.
  const Launched* launched() const { return launched_.get(); }

  // The current stream of its device waits. The host does for a barrier, with a timeout, and with
  // `blocks`.
  void wait(std::optional<Milliseconds> timeout = {}) override;

 private:
  const bool blocks_;
  std::unique_ptr<const Launched> launched_;
};

}  // namespace opweave::distributed
