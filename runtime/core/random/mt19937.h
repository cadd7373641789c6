// The Mersenne twister (Matsumoto and Nishimura, 1998) as a second engine of generators, and with
// it the numbers that PyTorch's CPU gives for a seed. Beside Philox, not in place of it: numbers
// come one after the other, so that they are made on the host, by one thread.
//
// A header of its own, which few files include: a generator with this engine is one that has an
// entry here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/random/generator.h"

namespace opweave {

class Mt19937 {
 public:
  static constexpr int kWords = 624;

  explicit Mt19937(uint64_t seed) { start(seed); }

  // All of the seed is remembered; its lower half decides the numbers.
  void start(uint64_t seed);
  uint64_t seed() const { return seed_; }
  uint32_t word() {
    if (--left_ == 0) refill();
    return tempered(words_[next_++]);
  }
  uint64_t wide_word() {
    const uint64_t high = word();
    return high << 32 | word();
  }

  // The next n words, as they are before tempering: whoever wants many tempers them in a loop.
  void take(uint32_t* out, size_t n);
  [[gnu::always_inline]] static uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  // Normally distributed numbers come in pairs; this is the second one of a pair.
  std::optional<double> take_spare_normal() { return std::exchange(spare_normal_, std::nullopt); }
  void keep_spare_normal(double value) { spare_normal_ = value; }

  // As PyTorch lays out the state of a CPU generator.
  static constexpr size_t kStateBytes = 5056;
  using State = std::array<uint8_t, kStateBytes>;
  State state() const;
  // RuntimeError when it is none.
  void set_state(const State& state);

 private:
  void refill();

  uint64_t seed_ = 0;
  std::array<uint32_t, kWords> words_{};
  uint32_t left_ = 1;  // words before the next refill, and 1
  size_t next_ = 0;
  std::optional<double> spare_normal_;
};

// The engine of a generator, locked while this object lives; null for Philox.
class LockedMt19937 {
 public:
  explicit LockedMt19937(const Generator& generator);
  explicit operator bool() const { return engine_ != nullptr; }
  Mt19937* operator->() const { return engine_; }
  Mt19937& operator*() const { return *engine_; }

 private:
  std::shared_ptr<void> entry_;
  std::unique_lock<ForkSafeMutex> lock_;  // goes before what it locks
  Mt19937* engine_ = nullptr;
};

// Gives a generator this engine, seeded with its seed, or Philox again.
void set_mt19937(const Generator& generator, bool on);
bool is_mt19937(const Generator& generator);

namespace detail {
// For generator.cc: seeds the engine of a generator that has it.
void seed_mt19937(const GeneratorImpl& generator, uint64_t seed);
}  // namespace detail

}  // namespace opweave
