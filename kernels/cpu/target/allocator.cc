// The caching CPU allocator: power-of-two-and-a-half size classes, per-thread lists for small
// blocks, one shared best-fit pool for large ones.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>

#include "kernels/cpu/target/target.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/no_fork.h"
#include "runtime/core/devices/free_list.h"
#include "runtime/target/shared_blocks.h"

namespace opweave::cpu {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSmallLimit = 64 * 1024;  // served from per-thread lists
constexpr int kSmallClasses = 11;          // 64 B … 64 KiB
constexpr size_t kMaxPerClass = 32;        // blocks a thread keeps of each class
constexpr size_t kMaxCachedBytes = size_t{4} << 30;

constexpr int small_class(size_t nbytes) {
  return std::bit_width((std::max(nbytes, kAlignment) - 1) >> 6);
}

// Blocks of this size and more begin with a huge page and are made of such, where the system has
// them: fewer faults when they are first written, fewer misses of the address cache, and faster
// copies between processes.
constexpr size_t kHugePage = 2 * 1024 * 1024;
constexpr size_t kHugeLimit = 2 * kHugePage;

void* allocate_aligned(size_t size) {
  if (size < kHugeLimit) return std::aligned_alloc(kAlignment, size);
  void* data = std::aligned_alloc(kHugePage, size);
  // The end stays as it is: a huge page there would take memory that nobody asked for.
  if (data != nullptr) madvise(data, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return data;
}

// Large blocks are rounded up to an eighth of their power of two, so that close sizes share blocks.
constexpr size_t round_large(size_t nbytes) {
  const size_t step = std::max<size_t>(std::bit_floor(nbytes) / 8, 4096);
  return (nbytes + step - 1) / step * step;
}

struct Counters {
  std::atomic<int64_t> allocated{0}, peak_allocated{0}, reserved{0}, peak_reserved{0};
  std::atomic<int64_t> allocations{0}, system_allocations{0};

  static void add(std::atomic<int64_t>& now, std::atomic<int64_t>& peak, int64_t n) {
    const int64_t value = now.fetch_add(n, std::memory_order_relaxed) + n;
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (value > seen && !peak.compare_exchange_weak(seen, value)) {
    }
  }
};

// Per-thread lists of small blocks. Trivially destructible; a separate object empties it at thread
// exit, after which freed blocks go straight back to the system.
struct SmallLists {
  struct Block {
    Block* next;
  };
  Block* head[kSmallClasses];
  uint16_t count[kSmallClasses];
  bool armed, closed;
};
constinit thread_local SmallLists small_lists{};

class CpuAllocator final : public Allocator {
 public:
  [[gnu::hot]] void* allocate(size_t nbytes, Device) override {
    if (nbytes == 0) return nullptr;
    return nbytes <= kSmallLimit ? allocate_small(nbytes) : allocate_large(nbytes);
  }

  [[gnu::hot]] void deallocate(void* data, size_t nbytes, Device) noexcept override {
    if (data == nullptr) return;
    nbytes <= kSmallLimit ? deallocate_small(data, nbytes) : deallocate_large(data, nbytes);
  }

  AllocatorStats stats(Device) const override {
    return {counters_.allocated,     counters_.peak_allocated, counters_.reserved,
            counters_.peak_reserved, counters_.allocations,    counters_.system_allocations};
  }

  void reset_peak_stats(Device) override {
    counters_.peak_allocated = counters_.allocated.load();
    counters_.peak_reserved = counters_.reserved.load();
  }

  void empty_cache() override {
    drain_small_lists();
    std::lock_guard lock(mutex_);
    for (const auto& [size, block] : cached_) system_free(block, size);
    cached_.clear();
    cached_bytes_ = 0;
  }

  // Around a fork, in the parent and in the child: nobody is between the two.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

  void drain_small_lists() noexcept {
    SmallLists& lists = small_lists;
    for (int c = 0; c < kSmallClasses; ++c) {
      while (SmallLists::Block* block = lists.head[c]) {
        lists.head[c] = block->next;
        system_free(block, kAlignment << c);
      }
      lists.count[c] = 0;
    }
  }

 private:
  // Small blocks are not counted one by one: statistics would cost more than the allocation.
  [[gnu::hot]] void* allocate_small(size_t nbytes) {
    SmallLists& lists = small_lists;
    const int c = small_class(nbytes);
    if (SmallLists::Block* block = lists.head[c]) {
      lists.head[c] = block->next;
      --lists.count[c];
      return block;
    }
    return system_allocate(kAlignment << c);
  }

  void deallocate_small(void* data, size_t nbytes) noexcept {
    SmallLists& lists = small_lists;
    const int c = small_class(nbytes);
    if (!kRecycle || lists.closed || lists.count[c] >= kMaxPerClass) {
      system_free(data, kAlignment << c);
      return;
    }
    if (!lists.armed) arm();
    auto* block = static_cast<SmallLists::Block*>(data);
    block->next = lists.head[c];
    lists.head[c] = block;
    ++lists.count[c];
  }

  void* allocate_large(size_t nbytes) {
    OW_CHECK_KIND(ErrorKind::kOutOfMemory, nbytes < (size_t{1} << 47),
                  "CPU allocator: tried to allocate ", nbytes, " bytes: not enough memory");
    const size_t size = round_large(nbytes);
    void* data = take_cached(size);
    if (data == nullptr) data = system_allocate(size);
    counters_.allocations.fetch_add(1, std::memory_order_relaxed);
    Counters::add(counters_.allocated, counters_.peak_allocated, static_cast<int64_t>(size));
    return data;
  }

  void deallocate_large(void* data, size_t nbytes) noexcept {
    const size_t size = round_large(nbytes);
    counters_.allocated.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
    if (kRecycle) {
      std::lock_guard lock(mutex_);
      if (cached_bytes_ + size <= kMaxCachedBytes && cache(size, data)) return;
    }
    system_free(data, size);
  }

  // Under the lock; whether there was memory to note the block in.
  bool cache(size_t size, void* data) noexcept try {
    cached_.emplace(size, data);
    cached_bytes_ += size;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  void* take_cached(size_t size) {
    std::lock_guard lock(mutex_);
    const auto it = cached_.find(size);
    if (it == cached_.end()) return nullptr;
    void* data = it->second;
    cached_.erase(it);
    cached_bytes_ -= size;
    return data;
  }

  void* system_allocate(size_t size) {
    void* data = allocate_aligned(size);
    if (data == nullptr) {
      empty_cache();
      data = allocate_aligned(size);
    }
    OW_CHECK_KIND(ErrorKind::kOutOfMemory, data != nullptr, "CPU allocator: tried to allocate ",
                  size, " bytes: not enough memory");
    counters_.system_allocations.fetch_add(1, std::memory_order_relaxed);
    Counters::add(counters_.reserved, counters_.peak_reserved, static_cast<int64_t>(size));
    return data;
  }

  void system_free(void* data, size_t size) noexcept {
    if (size >= SharedBlocks::kLeast) SharedBlocks::of_process().forget(data);
    std::free(data);
    counters_.reserved.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
  }

  static void arm();

  Counters counters_;
  std::mutex mutex_;
  std::multimap<size_t, void*> cached_;
  size_t cached_bytes_ = 0;
};

CpuAllocator& instance();

// Taken by a fork, so that who allocates has nothing to do for it. This lock comes before that of
// the shared blocks.
CpuAllocator* make_allocator() {
  SharedBlocks::of_process();
  at_fork({[] { instance().before_fork(); }, [] { instance().after_fork(); },
           [] { instance().after_fork(); }});
  return new CpuAllocator;
}

CpuAllocator& instance() {
  static auto* allocator = make_allocator();  // outlives every tensor
  return *allocator;
}

void CpuAllocator::arm() {
  struct Cleaner {
    ~Cleaner() {
      instance().drain_small_lists();
      small_lists.closed = true;
    }
    void touch() { small_lists.armed = true; }
  };
  static thread_local Cleaner cleaner;
  cleaner.touch();
}

}  // namespace

Allocator& memory() { return instance(); }

}  // namespace opweave::cpu
