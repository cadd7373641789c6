// DispatchKeySet: the set of backends and functionalities that take part in an operator call.
//
// A call goes to the kernel of the highest key present. The order of precedence, highest first:
//
//   bit 63, 62  observers of this thread and of all threads (runtime/dispatch/observer.h)
//   kComplex          of tensors of complex numbers: operators that do not take them refuse there
//   bit 59…37   functionalities above autograd: forward-mode differentiation, vmap, …
//   kAutograd         records the backward node; runs everything below it without recording
//   bit 35…33   functionalities between the two
//   kADInplaceOrView  bumps versions and links views to their base, also when nothing requires grad
//   bit 31…29   functionalities below both: what they see, nobody records any more
//   bit 28…24   layouts that are not strided: their kernels go before those of any backend
//   bit 23…0    backends: the number of the tensor's device type. When arguments of several meet,
//               the one with the higher number is asked, and checks its arguments.
//
// Functionalities are registered at run time, each with a place in the order relative to others
// (runtime/dispatch/functionality.h). Those on odd bits are excluded in every thread until it asks
// for them.
//
// Tensors carry a backend bit, kComplex by their dtype, kADInplaceOrView unless made in inference
// mode, and kAutograd while they require grad, so a call without gradients never visits the
// autograd kernel. Views carry it always: a write to their base may make them require grad.
#pragma once

#include <bit>
#include <cstdint>

#include "dtypes/layout.h"
#include "runtime/core/devices/device.h"

namespace opweave {

// The number of a bit in a DispatchKeySet.
enum class DispatchKey : uint8_t {
  kFirstBackend = 0,
  kFirstLayout = kMaxDeviceTypes,
  kFirstFunctionality = kFirstLayout + kNumLayoutKeys,
  kADInplaceOrView = 32,
  kAutograd = kADInplaceOrView + 4,
  kComplex = 60,
  kGlobalObserver = 62,
  kThreadObserver = 63,
};
inline constexpr int kNumDispatchKeys = 64;

constexpr DispatchKey backend_key(DeviceType type) { return static_cast<DispatchKey>(type); }
// The key that dtypes/layouts.def reserves. Not for a strided layout, which has none.
constexpr DispatchKey layout_key(Layout layout) {
  return static_cast<DispatchKey>(static_cast<int>(DispatchKey::kFirstLayout) +
                                  layout_info(layout).dispatch - 1);
}
static_assert(DispatchKey::kFirstFunctionality < DispatchKey::kADInplaceOrView);

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
  constexpr bool has_any(DispatchKeySet keys) const { return (bits_ & keys.bits_) != 0; }
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

// Functionalities that a thread does not see unless it asks for them.
constexpr DispatchKeySet opt_in_keys() {
  constexpr uint64_t odd = 0xAAAA'AAAA'AAAA'AAAA;
  return DispatchKeySet::from_bits(odd) & keys_from(DispatchKey::kFirstFunctionality) &
         keys_below(DispatchKey::kComplex);
}
static_assert(!opt_in_keys().has(DispatchKey::kADInplaceOrView));
static_assert(!opt_in_keys().has(DispatchKey::kAutograd));

// Above all others; no functionality, but those who watch.
constexpr DispatchKeySet observer_keys() { return keys_from(DispatchKey::kGlobalObserver); }

}  // namespace opweave
