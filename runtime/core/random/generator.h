// Generator: a Philox-4x32-10 stream (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC 2011; implementation: Random123). Counter-based: element i of a random tensor depends only on
// the seed, the stream's position and i, so every device and thread count gives the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "runtime/core/base/ref_counted.h"
#include "runtime/core/devices/device.h"

namespace opweave {

// A reserved part of a stream: block k of 4 32-bit numbers is philox(counter = offset + k, key =
// seed).
struct PhiloxSlice {
  uint64_t seed;
  uint64_t offset;  // in blocks
};

// The four 32-bit numbers of block `index` of a slice.
std::array<uint32_t, 4> philox_block(const PhiloxSlice& slice, uint64_t index);

class GeneratorImpl final : public RefCounted {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit GeneratorImpl(Device device, uint64_t seed = kDefaultSeed)
      : device_(device), seed_(seed) {}

  Device device() const { return device_; }
  void manual_seed(uint64_t seed);
  uint64_t initial_seed() const;
  // Seeds from the system's entropy and returns the seed.
  uint64_t seed();
  // Advances the stream by `blocks` and returns the part passed over. Thread-safe.
  PhiloxSlice reserve(uint64_t blocks);
  PhiloxSlice state() const;
  void set_state(PhiloxSlice state);

 private:
  const Device device_;
  mutable std::mutex mutex_;
  uint64_t seed_;
  uint64_t offset_ = 0;
};

using Generator = intrusive_ptr<GeneratorImpl>;

// The generator of a device, which is used when none is passed.
const Generator& default_generator(Device device = default_device());
// Seeds the default generators of all devices, those too that nobody has used yet.
void manual_seed(uint64_t seed);

}  // namespace opweave
