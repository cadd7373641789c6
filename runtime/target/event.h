// Event: a point in the work of a stream, for which streams and the host can wait.
#pragma once

#include <memory>

#include "runtime/target/stream.h"

namespace opweave {

class Event {
 public:
  // The device without its number: the first record() decides.
  explicit Event(Device device, const EventOptions& options = {})
      : device_(device), options_(options) {}
  Event(Event&&) = default;
  Event& operator=(Event&&) = default;

  // That of the stream where it was recorded.
  Device device() const { return device_; }
  bool recorded() const { return state_ != nullptr; }
  const EventOptions& options() const { return options_; }
  // Tells recorded events apart; 0 before.
  const void* id() const { return state_.get(); }

  // On the current stream of the device, or on one of that type. Again: at a later point.
  void record() { record(current_stream(device_)); }
  void record(const Stream& stream);
  // Makes a stream wait. An event that was not recorded holds nothing up.
  void block(const Stream& stream) const;
  bool query() const { return state_ == nullptr || state_->happened(); }
  void synchronize() const {
    if (state_ != nullptr) state_->synchronize();
  }
  // Milliseconds to `end`. ValueError unless both take the time, were recorded and have happened.
  double elapsed_time(const Event& end) const;

 private:
  Device device_;
  EventOptions options_;
  std::unique_ptr<EventState> state_;
};

}  // namespace opweave
