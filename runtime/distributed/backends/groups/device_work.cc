// Who waits for what a device does.
#include "runtime/distributed/backends/groups/device_work.h"

namespace opweave::distributed {

void DeviceWork::wait(std::optional<Milliseconds> timeout) {
  const bool captured = launched_ != nullptr && launched_->is_captured;
  const bool host = timeout || blocks_ || collective().kind == CollectiveKind::kBarrier;
  // What has failed is thrown without waiting.
  if (launched_ == nullptr || is_completed() || (host && !captured)) QueuedWork::wait(timeout);
  if (launched_ != nullptr) launched_->ended.block(current_stream(launched_->stream.device()));
}

}  // namespace opweave::distributed
