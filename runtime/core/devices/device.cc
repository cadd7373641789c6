// The table of device types.
#include "runtime/core/devices/device.h"

#include <array>
#include <atomic>
#include <charconv>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave {
namespace {

// Names are appended under the lock and never change, so readers need only the count.
struct DeviceTypes {
  ForkSafeMutex mutex;
  std::array<std::string, kMaxDeviceTypes> names{"cpu", "meta"};
  std::atomic<int> count{2};
};

DeviceTypes& device_types() {
  static auto* types = new DeviceTypes;  // never destroyed: devices are named until process exit
  return *types;
}

}  // namespace

DeviceType find_device_type(std::string_view name) {
  DeviceTypes& types = device_types();
  const int count = types.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (types.names[i] == name) return static_cast<DeviceType>(i);
  }
  return -1;
}

DeviceType register_device_type(std::string_view name) {
  DeviceTypes& types = device_types();
  std::lock_guard lock(types.mutex);
  if (const DeviceType known = find_device_type(name); known >= 0) return known;
  const int count = types.count.load(std::memory_order_relaxed);
  OW_CHECK(count < kMaxDeviceTypes, "cannot register device type '", name, "': all ",
           kMaxDeviceTypes, " are taken (", registered_device_names(), ")");
  types.names[count] = name;
  types.count.store(count + 1, std::memory_order_release);
  return static_cast<DeviceType>(count);
}

std::string_view device_type_name(DeviceType type) { return device_types().names[type]; }

std::string registered_device_names() {
  std::string text;
  const int count = device_types().count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) text += str(i > 0 ? ", " : "", device_types().names[i]);
  return text;
}

Device parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const DeviceType type = find_device_type(text.substr(0, colon));
  OW_CHECK(type >= 0, "Expected one of ", registered_device_names(),
           " device type at start of device string: ", text.substr(0, colon));
  if (colon == std::string_view::npos) return Device(type);
  const std::string_view digits = text.substr(colon + 1);
  int8_t index = -1;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  OW_CHECK(result.ec == std::errc() && result.ptr == digits.data() + digits.size() && index >= 0,
           "Invalid device string: '", text, "': expected a device index after ':'");
  return Device(type, index);
}

std::string to_string(Device device) {
  std::string text(device_type_name(device.type));
  if (device.index >= 0) text += str(":", static_cast<int64_t>(device.index));
  return text;
}

}  // namespace opweave
