// The system's futex, between processes.
#include "runtime/distributed/backends/shm/futex.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace opweave::distributed::shm {
namespace {

// Some 20 microseconds: what a wake-up by the system costs.
constexpr int kLooks = 1000;

uint32_t* address(std::atomic<uint32_t>& word) { return reinterpret_cast<uint32_t*>(&word); }

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen, const Deadline& deadline,
                     bool spins) {
  for (int i = 0; spins && i < kLooks; ++i) {
    if (word.load(std::memory_order_acquire) != seen) return;
    relax();
  }
  const auto left = std::min(deadline.remaining(), kInterruptInterval).count();
  const timespec time{left / 1000, left % 1000 * 1'000'000};
  syscall(SYS_futex, address(word), FUTEX_WAIT, seen, &time, nullptr, 0);
}

void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, address(word), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

bool have_processors(int processes) {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) >= processes;
}

}  // namespace opweave::distributed::shm
