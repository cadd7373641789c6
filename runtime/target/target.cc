// Registration of targets, and what those do that finish their work before a call returns.
#include "runtime/target/target.h"

#include <chrono>
#include <cstring>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/target/stream.h"

namespace opweave {
namespace {

struct Registered {
  ForkSafeMutex mutex;
  std::vector<Target*> targets;
  std::array<std::atomic<Target*>, kMaxDeviceTypes> by_type{};
};

Registered& registered() {
  static auto* all = new Registered;  // looked up until process exit
  return *all;
}

// Of a target without queues: what was recorded has happened.
class HostEvent final : public EventState {
 public:
  void record(int, StreamId) override { when_ = std::chrono::steady_clock::now(); }
  void block(int, StreamId) override {}
  bool happened() override { return true; }
  void synchronize() override {}
  double milliseconds_to(EventState& end) override {
    return std::chrono::duration<double, std::milli>(static_cast<HostEvent&>(end).when_ - when_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point when_;
};

}  // namespace

void Target::set_current(int index) {
  OW_CHECK(index == 0, "the target '", name(), "' has one device, so that ", index,
           " cannot be the current one");
}

int Target::exchange(int index) {
  const int previous = current();
  if (index != previous) set_current(index);
  return previous;
}

DeviceProperties Target::properties(int) { return {.name = std::string(name())}; }

void* Target::native_handle(int, StreamId) {
  OW_THROW(ErrorKind::kRuntime, "Backend doesn't support getting stream native handle.");
}

std::unique_ptr<EventState> Target::new_event(const EventOptions&) {
  return std::make_unique<HostEvent>();
}

void Target::copy(const CopyRequest& request, StreamId) {
  std::memcpy(request.to, request.from, request.nbytes);
}

void Target::copy_within(void* to, const void* from, size_t nbytes, Device device) {
  copy({to, device, from, device, nbytes}, current_stream(device).id());
}

void register_target(Target& target) {
  std::lock_guard lock(registered().mutex);
  if (find_target(target.type()) == &target) return;
  register_devices(target);
  registered().targets.push_back(&target);
  registered().by_type[static_cast<size_t>(target.type())].store(&target);
}

Target* find_target(DeviceType type) {
  return registered().by_type[static_cast<size_t>(type)].load(std::memory_order_acquire);
}

Target& target_of(DeviceType type) {
  Target* target = find_target(type);
  if (target == nullptr) detail::fail_no_target(type);
  return *target;
}

Target* find_target(std::string_view name) {
  const DeviceType type = find_device_type(name);
  return type < 0 ? nullptr : find_target(type);
}

std::vector<Target*> all_targets() {
  std::lock_guard lock(registered().mutex);
  return registered().targets;
}

Target* current_accelerator() {
  for (Target* target : all_targets()) {
    if (target->kind() == Devices::Kind::kAccelerator) return target;
  }
  return nullptr;
}

}  // namespace opweave
