// The table of devices by type.
#include "runtime/core/devices/devices.h"

#include "runtime/core/base/error.h"

namespace opweave {

constinit std::array<std::atomic<Devices*>, kMaxDeviceTypes> detail::devices_by_type{};

constinit std::atomic<uint32_t> detail::host_types{0}, detail::accelerator_types{0};

void detail::fail_no_target(DeviceType type) {
  OW_THROW(ErrorKind::kRuntime, "device type '", device_type_name(type),
           "' has no devices: its target is not loaded");
}

void register_devices(Devices& devices) {
  Devices* none = nullptr;
  const bool fresh =
      detail::devices_by_type[static_cast<size_t>(devices.type())].compare_exchange_strong(
          none, &devices, std::memory_order_acq_rel);
  OW_CHECK(fresh || none == &devices, "the target '", device_type_name(devices.type()),
           "' is registered already");
  const uint32_t bit = uint32_t{1} << devices.type();
  if (devices.kind() == Devices::Kind::kHost) detail::host_types |= bit;
  if (devices.kind() == Devices::Kind::kAccelerator) detail::accelerator_types |= bit;
}

std::string Devices::no_device_message() const {
  return str("No ", device_type_name(type_), " devices are available");
}

Device Devices::numbered(int index) {
  const int devices = count();
  OW_CHECK(devices > 0, no_device_message());
  const int wanted = index < 0 ? current() : index;
  OW_CHECK(wanted < devices, "there is no device ", device_type_name(type_), ":", wanted,
           ": the target has ", devices);
  return {type_, static_cast<int8_t>(wanted)};
}

}  // namespace opweave
