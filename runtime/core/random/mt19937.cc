// The Mersenne twister, its state, and which generators have it.
#include "runtime/core/random/mt19937.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <unordered_map>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave {
namespace {

constexpr int kMiddle = 397;

constexpr uint32_t twist(uint32_t high, uint32_t low) {
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ (0x9908b0dfu & -(low & 1));
}

// What PyTorch writes for a CPU generator, field by field.
struct StateLayout {
  uint64_t seed;
  int32_t left, seeded;
  uint64_t next;
  uint64_t words[Mt19937::kWords];
  double unused_x, spare_normal, unused_rho;
  int32_t has_spare_normal;
  float unused_sample;
  uint64_t unused_flag;
};
static_assert(sizeof(StateLayout) == Mt19937::kStateBytes);

// Entries are by address, and hold their generator: no other can get its address. An entry that is
// the last to hold one goes with the next that is made.
struct Entry {
  Generator generator;
  ForkSafeMutex mutex;
  Mt19937 engine;
  explicit Entry(const Generator& g) : generator(g), engine(g->initial_seed()) {}
};

struct Table {
  ForkSafeMutex mutex;
  std::unordered_map<const GeneratorImpl*, std::shared_ptr<Entry>> entries;
};
Table& table() {
  static auto* made = new Table;  // generators are used until the process is gone
  return *made;
}
// While there is no entry nobody asks the table.
constinit std::atomic<bool> any_entry{false};

std::shared_ptr<Entry> find(const GeneratorImpl* generator) {
  if (!any_entry.load(std::memory_order_acquire)) [[likely]]
    return nullptr;
  const std::lock_guard lock(table().mutex);
  const auto found = table().entries.find(generator);
  return found == table().entries.end() ? nullptr : found->second;
}

}  // namespace

void Mt19937::start(uint64_t seed) {
  seed_ = seed;
  words_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < kWords; ++i)
    words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  left_ = 1;
  next_ = 0;
  spare_normal_.reset();
}

// In pieces that do not wrap around: nothing in them waits for what the loop has just written.
void Mt19937::refill() {
  uint32_t* w = words_.data();
  for (int i = 0; i < kWords - kMiddle; ++i) w[i] = w[i + kMiddle] ^ twist(w[i], w[i + 1]);
  for (int i = kWords - kMiddle; i < kWords - 1; ++i)
    w[i] = w[i + kMiddle - kWords] ^ twist(w[i], w[i + 1]);
  w[kWords - 1] = w[kMiddle - 1] ^ twist(w[kWords - 1], w[0]);
  left_ = kWords;
  next_ = 0;
}

void Mt19937::take(uint32_t* out, size_t n) {
  while (n > 0) {
    if (left_ == 1) {
      refill();
      ++left_;
    }
    const size_t count = std::min<size_t>(n, left_ - 1);
    std::copy_n(words_.data() + next_, count, out);
    next_ += count;
    left_ -= static_cast<uint32_t>(count);
    out += count;
    n -= count;
  }
}

Mt19937::State Mt19937::state() const {
  StateLayout layout{};
  layout.seed = seed_;
  layout.left = static_cast<int32_t>(left_);
  layout.seeded = 1;
  layout.next = next_;
  std::ranges::copy(words_, layout.words);
  layout.has_spare_normal = spare_normal_.has_value();
  layout.spare_normal = spare_normal_.value_or(0);
  return std::bit_cast<State>(layout);
}

void Mt19937::set_state(const State& state) {
  const auto layout = std::bit_cast<StateLayout>(state);
  const bool valid =
      layout.seeded == 1 && layout.left > 0 && layout.left <= kWords && layout.next <= kWords;
  OW_CHECK(valid, "Invalid mt19937 state: seeded=", layout.seeded, ", left=", layout.left,
           ", next=", layout.next, "; expected 1, 1 to 624 and at most 624");
  // As many as are left have to lie before the end.
  OW_CHECK(layout.left == 1 || layout.next + static_cast<uint64_t>(layout.left) == kWords + 1,
           "Invalid mt19937 state: ", layout.left - 1, " numbers left after number ", layout.next);
  seed_ = layout.seed;
  left_ = static_cast<uint32_t>(layout.left);
  next_ = layout.next;
  for (size_t i = 0; i < kWords; ++i) words_[i] = static_cast<uint32_t>(layout.words[i]);
  spare_normal_.reset();
  if (layout.has_spare_normal != 0) spare_normal_ = layout.spare_normal;
}

LockedMt19937::LockedMt19937(const Generator& generator) {
  const std::shared_ptr<Entry> entry = find(generator.get());
  if (entry == nullptr) return;
  entry_ = entry;
  lock_ = std::unique_lock(entry->mutex);
  engine_ = &entry->engine;
}

void set_mt19937(const Generator& generator, bool on) {
  const std::lock_guard lock(table().mutex);
  auto& entries = table().entries;
  std::erase_if(entries,
                [](const auto& entry) { return entry.second->generator->use_count() == 1; });
  if (on) {
    entries.try_emplace(generator.get(), std::make_shared<Entry>(generator));
  } else {
    entries.erase(generator.get());
  }
  any_entry.store(!entries.empty(), std::memory_order_release);
}

bool is_mt19937(const Generator& generator) { return find(generator.get()) != nullptr; }

void detail::seed_mt19937(const GeneratorImpl& generator, uint64_t seed) {
  const std::shared_ptr<Entry> entry = find(&generator);
  if (entry == nullptr) return;
  const std::lock_guard lock(entry->mutex);
  entry->engine.start(seed);
}

}  // namespace opweave
