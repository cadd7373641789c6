// Stream: a queue of work on a device; and which one the operators of a thread use.
#pragma once

#include <array>
#include <atomic>

#include "runtime/target/target.h"

namespace opweave {

class Event;

// A value: streams belong to their target and are not given back.
class Stream {
 public:
  Stream(Device device, StreamId id) : device_(resolve_device(device)), id_(id) {}
  // Another one than the default, where the target has several.
  static Stream make(Device device, int priority = 0);

  Device device() const { return device_; }
  StreamId id() const { return id_; }
  Target& target() const { return target_of(device_.type); }

  // Whether all its work is done.
  bool query() const { return target().query_stream(device_.index, id_); }
  void synchronize() const { target().synchronize_stream(device_.index, id_); }
  // What it gets from now on runs after the event, or after what `other` has now.
  void wait(const Event& event) const;
  void wait(const Stream& other) const;
  void* native_handle() const { return target().native_handle(device_.index, id_); }

  friend bool operator==(const Stream&, const Stream&) = default;

 private:
  Device device_;
  StreamId id_;
};

// The stream that operators of this thread use on a device: the default one unless set.
Stream current_stream(Device device);
// Leaves the current device as it is.
void set_current_stream(const Stream& stream);

// The streams of a thread that are not the default one, as a value: the backward pass takes over
// those of its caller.
struct CurrentStreams {
  static constexpr int kMost = 16;
  struct Entry {
    Device device;
    StreamId id = kDefaultStream;
  };

  StreamId of(Device device) const {
    for (int i = 0; i < count; ++i) {
      if (entries[i].device == device) return entries[i].id;
    }
    return kDefaultStream;
  }
  void set(Device device, StreamId id);

  int count = 0;
  std::array<Entry, kMost> entries;  // the first `count`
};
CurrentStreams& current_streams();

// Sets all of them and restores them.
class CurrentStreamsGuard {
 public:
  explicit CurrentStreamsGuard(const CurrentStreams& streams) : saved_(current_streams()) {
    current_streams() = streams;
  }
  ~CurrentStreamsGuard() { current_streams() = saved_; }
  CurrentStreamsGuard(const CurrentStreamsGuard&) = delete;

 private:
  CurrentStreams saved_;
};

namespace detail {
extern std::atomic<bool> streams_in_use;
}
// Whether any thread ever used another stream than a default one: asked where every call passes.
inline bool streams_in_use() { return detail::streams_in_use.load(std::memory_order_relaxed); }

// While it lives, a device is the current one of its type.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;

 private:
  Target& target_;
  int previous_;
};

// While it lives, a stream is the current one of its device, and that the current device.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream)
      : device_(stream.device()), previous_(current_stream(stream.device())) {
    set_current_stream(stream);
  }
  ~StreamGuard() { set_current_stream(previous_); }
  StreamGuard(const StreamGuard&) = delete;

 private:
  DeviceGuard device_;
  Stream previous_;
};

}  // namespace opweave
