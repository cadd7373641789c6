// A process that is forked while other threads hold the runtime's locks does not wait for them.
#include "runtime/core/base/no_fork.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/devices/device.h"
#include "runtime/core/random/generator.h"
#include "runtime/core/random/mt19937.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/target/shared_storage.h"
#include "runtime/target/target.h"
#include "tests/runtime/support/forks.h"
#include "tests/runtime/target/support.h"

namespace opweave::test {
namespace {

TEST_CASE("generators") {
  const Generator own(make_intrusive<GeneratorImpl>(host_device(), 1));
  CHECK(can_always([&] { own->reserve(1); }));
  CHECK(can_always([] { manual_seed(3); }));
  const Generator twister(make_intrusive<GeneratorImpl>(host_device(), 1));
  set_mt19937(twister, true);
  CHECK(can_always([&] {
    const LockedMt19937 words(twister);
    for (int i = 0; i < 1000; ++i) words->word();
  }));
  CHECK(can_always([&] { set_mt19937(own, !is_mt19937(own)); }));
}

TEST_CASE("names of devices") {
  CHECK(can_always([] { register_device_type("cpu"); }));
}

TEST_CASE("targets") {
  CHECK(can_always([] { all_targets(); }));
}

TEST_CASE("a caching allocator") {
  const Device device = heap(0);
  CHECK(can_always([&] { make_tensor({1000}, kFloat, device); }));
}

TEST_CASE("shared storages") {
  const auto file = SharedFile::create(4096);
  CHECK(can_always([&] { SharedFile::open(dup(file->descriptor()), 4096); }));
}

TEST_CASE("a fork waits for who is within, and who comes then for the fork") {
  std::atomic<bool> within{false}, left{false};
  std::thread other([&] {
    const NoFork stay, again;
    within = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    left = true;
  });
  while (!within) std::this_thread::yield();
  CHECK(status_of_child([&] { _exit(left ? 0 : 1); }) == 0);
  other.join();
}

TEST_CASE("a thread that forks within does not wait for itself, and its child forks again") {
  const NoFork stay;
  CHECK(status_of_child([] {
          const NoFork again;
          _exit(status_of_child([] { const NoFork third; }) == 0 ? 0 : 1);
        }) == 0);
}

TEST_CASE("a lock that a forked process finds free") {
  static ForkFreedMutex mutex;
  CHECK(can_always([] {
    const std::lock_guard lock(mutex);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }));
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 20'000; ++n) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 80'000);
}

TEST_CASE("forks are counted by those who were forked") {
  const uint32_t here = fork_count();
  CHECK(status_of_child([&] {
          const bool one = fork_count() == here + 1;
          const int two = status_of_child([&] { _exit(fork_count() == here + 2 ? 0 : 1); });
          _exit(one && two == 0 ? 0 : 1);
        }) == 0);
  CHECK(fork_count() == here);
}

TEST_CASE("threads that fork at once") {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 25; ++n) {
        const auto stay = n % 2 == 0 ? std::make_unique<NoFork>() : nullptr;
        failed += status_of_child([] { manual_seed(1); }) != 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
}

}  // namespace
}  // namespace opweave::test
