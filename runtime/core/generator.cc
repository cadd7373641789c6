// The Philox stream and the default generators.
#include "runtime/core/generator.h"

#include <Random123/philox.h>

#include <random>

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

void GeneratorImpl::manual_seed(uint64_t seed) { set_state({seed, 0}); }

uint64_t GeneratorImpl::initial_seed() const { return state().seed; }

uint64_t GeneratorImpl::seed() {
  std::random_device entropy;
  // 53 bits, so that the seed survives a trip through a double.
  const uint64_t seed = ((uint64_t{entropy()} << 32) | entropy()) & ((uint64_t{1} << 53) - 1);
  manual_seed(seed);
  return seed;
}

PhiloxSlice GeneratorImpl::reserve(uint64_t blocks) {
  std::lock_guard lock(mutex_);
  const PhiloxSlice slice{seed_, offset_};
  offset_ += blocks;
  return slice;
}

PhiloxSlice GeneratorImpl::state() const {
  std::lock_guard lock(mutex_);
  return {seed_, offset_};
}

void GeneratorImpl::set_state(PhiloxSlice state) {
  std::lock_guard lock(mutex_);
  seed_ = state.seed;
  offset_ = state.offset;
}

namespace {
std::array<Generator, kMaxDeviceTypes>& default_generators() {
  static auto* generators = [] {
    auto* all = new std::array<Generator, kMaxDeviceTypes>;
    for (int i = 0; i < kMaxDeviceTypes; ++i) {
      (*all)[i] = make_intrusive<GeneratorImpl>(Device(static_cast<DeviceType>(i)));
    }
    return all;
  }();
  return *generators;
}
}  // namespace

const Generator& default_generator(DeviceType type) { return default_generators()[type]; }

void manual_seed(uint64_t seed) {
  for (const Generator& generator : default_generators()) generator->manual_seed(seed);
}

}  // namespace opweave
