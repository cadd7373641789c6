// DispatchKeySet: the set of backends and functionalities that take part in an operator call.
//
// A call goes to the kernel of the highest key present. The order of precedence, highest first:
//
//   bit 63…36  functionalities registered at run time (register_functionality)
//   kTracer          records the call, before anything changes its arguments
//   kBatched         vmap: sees the logical call, so that tracing above records one operator
//   kAutocast        casts inputs, and must do so where autograd below will see the casts
//   kForward         computes the tangents of results; autograd below saves tensors with theirs, so
//                    that backward passes have tangents too
//   kAutograd        records the backward node; runs everything below it without recording
//   kADInplaceOrView bumps versions and links views to their base, also when nothing requires grad
//   bit 28…24  layouts that are not strided: their kernels go before those of any backend
//   bit 23…0   backends: the number of the tensor's device type. When arguments of several backends
//              meet, the one with the higher number is asked, and checks its arguments.
//
// Tensors carry a backend bit, kADInplaceOrView unless made in inference mode, and kAutograd while
// they require grad, so a call without gradients never visits the autograd kernel. Views carry it
// always: a write to their base may make them require grad. kForward comes with the first tangent.
#pragma once

#include <bit>
#include <cstdint>

#include "dtypes/layout.h"
#include "runtime/core/device.h"

namespace opweave {

// The number of a bit in a DispatchKeySet.
enum class DispatchKey : uint8_t {
  kFirstBackend = 0,
  kFirstLayout = kMaxDeviceTypes,
  kADInplaceOrView = kFirstLayout + kNumLayoutKeys,
  kAutograd,
  kForward,
  kAutocast,
  kBatched,
  kTracer,
  kFirstRuntimeFunctionality = 36,
};
inline constexpr int kNumDispatchKeys = 64;

constexpr DispatchKey backend_key(DeviceType type) { return static_cast<DispatchKey>(type); }
// The key that dtypes/layouts.def reserves. Not for a strided layout, which has none.
constexpr DispatchKey layout_key(Layout layout) {
  return static_cast<DispatchKey>(static_cast<int>(DispatchKey::kFirstLayout) +
                                  layout_info(layout).dispatch - 1);
}
static_assert(static_cast<int>(DispatchKey::kTracer) <
              static_cast<int>(DispatchKey::kFirstRuntimeFunctionality));

class DispatchKeySet {
 public:
  constexpr DispatchKeySet() = default;
  constexpr DispatchKeySet(DispatchKey key)  // NOLINT: a key is a set of one
      : bits_(uint64_t{1} << static_cast<int>(key)) {}
  static constexpr DispatchKeySet from_bits(uint64_t bits) {
    DispatchKeySet set;
    set.bits_ = bits;
    return set;
  }
  static constexpr DispatchKeySet backends() {
    return from_bits((uint64_t{1} << kMaxDeviceTypes) - 1);
  }

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(DispatchKey key) const { return (bits_ & DispatchKeySet(key).bits_) != 0; }
  // The highest key. Only for a set that is not empty.
  constexpr DispatchKey highest() const {
    return static_cast<DispatchKey>(63 - std::countl_zero(bits_));
  }
  constexpr DispatchKeySet operator|(DispatchKeySet o) const { return from_bits(bits_ | o.bits_); }
  constexpr DispatchKeySet operator&(DispatchKeySet o) const { return from_bits(bits_ & o.bits_); }
  constexpr DispatchKeySet operator-(DispatchKeySet o) const { return from_bits(bits_ & ~o.bits_); }
  friend constexpr bool operator==(DispatchKeySet, DispatchKeySet) = default;

 private:
  uint64_t bits_ = 0;
};

// Keys from `key` upwards, and keys below it.
constexpr DispatchKeySet keys_from(DispatchKey key) {
  return DispatchKeySet::from_bits(~uint64_t{0} << static_cast<int>(key));
}
constexpr DispatchKeySet keys_below(DispatchKey key) {
  return DispatchKeySet::from_bits((uint64_t{1} << static_cast<int>(key)) - 1);
}

}  // namespace opweave
