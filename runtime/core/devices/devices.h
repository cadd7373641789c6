// Devices: what tensors ask of the target of a device type. The rest of a target is in
// runtime/target; nothing here knows which targets there are.
#pragma once

#include <array>
#include <atomic>

#include "runtime/core/devices/allocator.h"
#include "runtime/core/devices/device.h"

namespace opweave {

class Devices {
 public:
  enum class Kind : uint8_t {
    kHost,         // one device without a number: its memory is what the program itself addresses
    kShapes,       // one device without a number and without memory
    kAccelerator,  // numbered devices with memory and streams of their own
  };

  Devices(DeviceType type, Kind kind, Allocator& allocator)
      : allocator_(&allocator), type_(type), kind_(kind) {}
  virtual ~Devices() = default;
  Devices(const Devices&) = delete;

  DeviceType type() const { return type_; }
  Kind kind() const { return kind_; }
  Allocator& allocator() const { return *allocator_; }

  // Usable devices; 0 where there are none, whatever the reason.
  virtual int count() = 0;
  // The number of the one that the calling thread works on.
  virtual int current() = 0;
  // Bytes within a device, in order with what the calling thread runs there.
  virtual void copy_within(void* to, const void* from, size_t nbytes, Device device) = 0;

  // The device with this number, the current one for -1. Throws when there is none.
  Device numbered(int index);

 protected:
  // What to say where there is no device at all.
  virtual std::string no_device_message() const;

 private:
  Allocator* const allocator_;
  const DeviceType type_;
  const Kind kind_;
};

// Makes them known; those of a type that has some already are an error. They live until the process
// ends. Targets are registered by register_target() (runtime/target), which calls this.
void register_devices(Devices& devices);

namespace detail {
extern std::array<std::atomic<Devices*>, kMaxDeviceTypes> devices_by_type;
// The types of a kind, as bits: asked on the way of every call.
extern std::atomic<uint32_t> host_types, accelerator_types;
inline bool has_type(const std::atomic<uint32_t>& types, DeviceType type) {
  return (types.load(std::memory_order_relaxed) >> type & 1) != 0;
}
[[noreturn]] void fail_no_target(DeviceType type);
}  // namespace detail

// Null when the target of a type is not loaded.
inline Devices* find_devices(DeviceType type) {
  return detail::devices_by_type[static_cast<size_t>(type)].load(std::memory_order_acquire);
}
inline Devices& devices_of(DeviceType type) {
  Devices* devices = find_devices(type);
  if (devices == nullptr) [[unlikely]]
    detail::fail_no_target(type);
  return *devices;
}

// A device under its own name, as tensors, storages and generators hold it: "cuda" is the current
// one of its type, and where there is only one, "cpu:0" is "cpu". Two names are two devices.
inline Device resolve_device(Device device) {
  Devices& devices = devices_of(device.type);
  if (devices.kind() != Devices::Kind::kAccelerator) [[likely]]
    return Device(device.type);
  return devices.numbered(device.index);
}

// Whether the program itself may read and write what lies there.
inline bool is_host(Device device) { return detail::has_type(detail::host_types, device.type); }
inline bool is_accelerator(Device device) {
  return detail::has_type(detail::accelerator_types, device.type);
}

}  // namespace opweave
