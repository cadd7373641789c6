// A count of the threads that are within, which a fork waits for, and that waits for a fork.
#include "runtime/core/base/no_fork.h"

#include <pthread.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace opweave {
namespace {

// Threads count in different lines of the cache.
constexpr size_t kCounts = 16;
struct alignas(64) Count {
  std::atomic<int> within{0};
};
constinit std::array<Count, kCounts> counts{};
constinit std::atomic<bool> forking{false};
constinit std::atomic<uint32_t> forks{0};
constinit std::atomic<unsigned> threads{0};

constinit thread_local int depth = 0;
constinit thread_local unsigned number = 0;  // from 1; 0 before the first use

std::atomic<int>& own_count() {
  if (number == 0) [[unlikely]]
    number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return counts[number % kCounts].within;
}

int all_within() {
  int sum = 0;
  for (const Count& count : counts) sum += count.within.load();
  return sum;
}

struct Handlers {
  std::mutex mutex;
  std::vector<ForkHandlers> all;
};
Handlers& handlers() {
  static auto* made = new Handlers;  // forks come until the process is gone
  return *made;
}

// Of threads that fork at once one goes first. A thread that forks while it is within something
// itself does not wait for itself, nor do others that fork.
void before_fork() {
  if (depth > 0) own_count().fetch_sub(1);
  while (forking.exchange(true)) sched_yield();
  while (all_within() > 0) sched_yield();
  handlers().mutex.lock();
  const auto& all = handlers().all;
  for (auto it = all.rbegin(); it != all.rend(); ++it) it->before();
}

void open_again() {
  handlers().mutex.unlock();
  if (depth > 0) own_count().fetch_add(1);
  forking.store(false);
}

void after_fork() {
  for (const ForkHandlers& each : handlers().all) each.after();
  open_again();
}

// Threads that were just looking whether they may enter have been counted, and are gone.
void in_forked_process() {
  forks.fetch_add(1, std::memory_order_relaxed);
  for (Count& count : counts) count.within.store(0);
  for (const ForkHandlers& each : handlers().all) each.in_child();
  open_again();
}

[[maybe_unused]] const int registered = pthread_atfork(before_fork, after_fork, in_forked_process);

}  // namespace

// The count and the flag are in one order for all threads: either a fork sees this thread, or this
// thread sees the fork.
void NoFork::enter() noexcept {
  if (depth++ > 0) return;
  std::atomic<int>& count = own_count();
  while (true) {
    count.fetch_add(1);
    if (!forking.load()) return;
    count.fetch_sub(1);
    while (forking.load()) sched_yield();
  }
}

void NoFork::leave() noexcept {
  if (--depth == 0) own_count().fetch_sub(1);
}

uint32_t fork_count() noexcept { return forks.load(std::memory_order_relaxed); }

void at_fork(const ForkHandlers& each) {
  const NoFork stay;
  const std::lock_guard lock(handlers().mutex);
  handlers().all.push_back(each);
}

}  // namespace opweave
