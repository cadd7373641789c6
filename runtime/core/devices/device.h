// Device: where a tensor lives. Device types are numbers handed out at run time as targets
// register, so that no target is known to this file except the two that always exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opweave {

using DeviceType = int8_t;
inline constexpr DeviceType kCPU = 0;
inline constexpr DeviceType kMeta = 1;  // shapes and dtypes without data
inline constexpr int kMaxDeviceTypes = 24;

// A stream of a device (see runtime/target/stream.h); 0 is the default stream of every device.
using StreamId = int64_t;
inline constexpr StreamId kDefaultStream = 0;

// An index of -1 means "the current one" of its type; resolve_device() says which one that is.
struct Device {
  DeviceType type = kCPU;
  int8_t index = -1;

  constexpr Device() = default;
  constexpr Device(DeviceType t, int8_t i = -1) : type(t), index(i) {}  // NOLINT: as in PyTorch
  constexpr bool is_meta() const { return type == kMeta; }
  friend constexpr bool operator==(Device, Device) = default;
};

// Registers a device type under a name ("cuda") and returns its number; the same name gives the
// same number again. Throws when all numbers are taken.
DeviceType register_device_type(std::string_view name);
// The number of a registered name, or -1.
DeviceType find_device_type(std::string_view name);
std::string_view device_type_name(DeviceType type);
// All registered names, in order, for messages.
std::string registered_device_names();

// Parses "cpu", "cuda:1". RuntimeError when the type is unknown or the index is not a number.
Device parse_device(std::string_view text);
std::string to_string(Device device);
// Where tensors are made when no device is given.
constexpr Device default_device() { return Device(kCPU); }
// Where data lie that the program itself writes or reads: Python's lists, NumPy's arrays, numbers.
constexpr Device host_device() { return Device(kCPU); }
inline void append_to(std::string& out, Device device) { out += to_string(device); }

}  // namespace opweave
