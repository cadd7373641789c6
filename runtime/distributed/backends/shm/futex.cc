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
// About as long where nothing else is to be run. Handing the processor on costs 1 microsecond,
// while sleeping and being woken costs 10 where the processor falls idle meanwhile.
constexpr int kYields = 50;
// Of processes that share a processor: each hands it on in turn until the last has come.
constexpr int kSharing = 4;

uint32_t* address(std::atomic<uint32_t>& word) { return reinterpret_cast<uint32_t*>(&word); }

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

bool changes_soon(const std::atomic<uint32_t>& word, uint32_t seen, Patience patience) {
  if (patience == Patience::kNone) return false;
  const bool looks = patience == Patience::kLooks;
  for (int i = looks ? kLooks : kYields; i > 0; --i) {
    if (word.load(std::memory_order_acquire) != seen) return true;
    if (looks)
      relax();
    else
      sched_yield();
  }
  return false;
}

}  // namespace

void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen, const Deadline& deadline,
                     Patience patience) {
  if (changes_soon(word, seen, patience)) return;
  const auto left = std::min(deadline.remaining(), kInterruptInterval).count();
  const timespec time{left / 1000, left % 1000 * 1'000'000};
  syscall(SYS_futex, address(word), FUTEX_WAIT, seen, &time, nullptr, 0);
}

void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, address(word), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

bool have_processors(int processes) { return processors() >= processes; }

Patience patience_among(int processes) {
  if (have_processors(processes)) return Patience::kLooks;
  return processes <= kSharing * processors() ? Patience::kYields : Patience::kNone;
}

}  // namespace opweave::distributed::shm
