// The Philox stream and the default generators.
#include "runtime/core/random/generator.h"

#include <Random123/philox.h>

#include <atomic>
#include <random>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/random/mt19937.h"

namespace opweave {

std::array<uint32_t, 4> philox_block(const PhiloxSlice& slice, uint64_t index) {
  const uint64_t counter = slice.offset + index;
  r123::Philox4x32::ctr_type c = {
      {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0}};
  r123::Philox4x32::key_type k = {
      {static_cast<uint32_t>(slice.seed), static_cast<uint32_t>(slice.seed >> 32)}};
  const auto r = r123::Philox4x32()(c, k);
  return {r[0], r[1], r[2], r[3]};
}

void GeneratorImpl::manual_seed(uint64_t seed) {
  set_state({seed, 0});
  detail::seed_mt19937(*this, seed);
}

uint64_t GeneratorImpl::initial_seed() const { return state().seed; }

uint64_t GeneratorImpl::seed() {
  std::random_device entropy;
  // 53 bits, so that the seed survives a trip through a double.
  const uint64_t seed = ((uint64_t{entropy()} << 32) | entropy()) & ((uint64_t{1} << 53) - 1);
  manual_seed(seed);
  return seed;
}

PhiloxSlice GeneratorImpl::reserve(uint64_t blocks) {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  const PhiloxSlice slice{seed_, offset_};
  offset_ += blocks;
  return slice;
}

PhiloxSlice GeneratorImpl::state() const {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  return {seed_, offset_};
}

void GeneratorImpl::set_state(PhiloxSlice state) {
  const NoFork stay;
  std::lock_guard lock(mutex_);
  seed_ = state.seed;
  offset_ = state.offset;
}

namespace {

// One for each number of a device, and one for types whose device has none.
constexpr size_t kIndices = 129;
constinit std::array<std::atomic<const Generator*>, kMaxDeviceTypes * kIndices>
    default_generators{};
// Guards their making, and the seed of those that are made later.
constinit ForkSafeMutex default_mutex;
constinit uint64_t default_seed = GeneratorImpl::kDefaultSeed;

std::atomic<const Generator*>& slot_of(Device device) {
  return default_generators[static_cast<size_t>(device.type) * kIndices +
                            static_cast<size_t>(device.index + 1)];
}

const Generator& make_default_generator(Device device) {
  std::lock_guard lock(default_mutex);
  std::atomic<const Generator*>& slot = slot_of(device);
  if (const Generator* made = slot.load(std::memory_order_acquire)) return *made;
  const auto* fresh = new Generator(make_intrusive<GeneratorImpl>(device, default_seed));
  slot.store(fresh, std::memory_order_release);
  return *fresh;
}

}  // namespace

const Generator& default_generator(Device device) {
  const Device where = resolve_device(device);
  if (const Generator* made = slot_of(where).load(std::memory_order_acquire)) [[likely]]
    return *made;
  return make_default_generator(where);
}

void manual_seed(uint64_t seed) {
  std::lock_guard lock(default_mutex);
  default_seed = seed;
  for (const auto& slot : default_generators) {
    if (const Generator* made = slot.load(std::memory_order_acquire)) (*made)->manual_seed(seed);
  }
}

}  // namespace opweave
