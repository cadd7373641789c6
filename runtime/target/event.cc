// Events: checks, and making the target's part when it is first needed.
#include "runtime/target/event.h"

#include <cctype>

#include "runtime/core/base/error.h"

namespace opweave {
namespace {

// As PyTorch's messages have it.
std::string loud_name(DeviceType type) {
  std::string text(device_type_name(type));
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

void Event::record(const Stream& stream) {
  const Device where = stream.device();
  OW_CHECK(device_.type == where.type, "Event device type ", loud_name(device_.type),
           " does not match recording stream's device type ", loud_name(where.type), ".");
  OW_CHECK(device_.index < 0 || device_.index == where.index, "Event device index ", device_.index,
           " does not match recording stream's device index ", where.index, ".");
  const DeviceGuard guard(where);
  if (state_ == nullptr) state_ = stream.target().new_event(options_);
  device_ = where;
  state_->record(where.index, stream.id());
}

void Event::block(const Stream& stream) const {
  if (state_ == nullptr) return;
  if (stream.device().type == device_.type) {
    const DeviceGuard guard(stream.device());
    state_->block(stream.device().index, stream.id());
  } else {
    state_->synchronize();  // no hardware waits for another's
  }
}

double Event::elapsed_time(const Event& end) const {
  OW_CHECK(device_.type == end.device_.type, "Event device type ", loud_name(device_.type),
           " does not match other's device type ", loud_name(end.device_.type), ".");
  OW_CHECK_VALUE(options_.timing && end.options_.timing,
                 "Both events must be created with argument 'enable_timing=True'.");
  OW_CHECK_VALUE(recorded() && end.recorded(),
                 "Both events must be recorded before calculating elapsed time.");
  OW_CHECK(query() && end.query(),
           "Both events must be completed before calculating elapsed time.");
  return state_->milliseconds_to(*end.state_);
}

}  // namespace opweave
