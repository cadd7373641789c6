// Streams, and the table of a thread's current ones.
#include "runtime/target/stream.h"

#include "runtime/core/base/error.h"
#include "runtime/target/event.h"

namespace opweave {
namespace {

constinit thread_local CurrentStreams streams{};

}  // namespace

constinit std::atomic<bool> detail::streams_in_use{false};

CurrentStreams& current_streams() { return streams; }

void CurrentStreams::set(Device device, StreamId id) {
  int i = 0;
  while (i < count && entries[i].device != device) ++i;
  if (id == kDefaultStream) {
    if (i < count) entries[i] = entries[--count];
    return;
  }
  OW_CHECK(i < kMost, "more than ", kMost, " devices with a stream of their own in one thread");
  entries[i] = {device, id};
  if (i == count) ++count;
}

Stream Stream::make(Device device, int priority) {
  const Device where = resolve_device(device);
  return {where, target_of(where.type).new_stream(where.index, priority)};
}

Stream current_stream(Device device) {
  const Device where = resolve_device(device);
  return {where, streams.of(where)};
}

void set_current_stream(const Stream& stream) {
  if (stream.id() != kDefaultStream) {
    detail::streams_in_use.store(true, std::memory_order_relaxed);
  }
  streams.set(stream.device(), stream.id());
}

void Stream::wait(const Event& event) const { event.block(*this); }

void Stream::wait(const Stream& other) const {
  if (*this == other) return;
  Event event(other.device());
  event.record(other);
  event.block(*this);
}

DeviceGuard::DeviceGuard(Device device) : target_(target_of(device.type)), previous_(-1) {
  if (target_.kind() != Devices::Kind::kAccelerator || device.index < 0) return;
  const int previous = target_.exchange(device.index);
  if (previous != device.index) previous_ = previous;
}

DeviceGuard::~DeviceGuard() {
  if (previous_ >= 0) target_.set_current(previous_);
}

}  // namespace opweave
