// A process that is forked while other threads use a store can use it, too.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/distributed/store/file_store.h"
#include "runtime/distributed/store/hash_store.h"
#include "runtime/distributed/store/turns.h"
#include "tests/runtime/support/forks.h"
#include "tests/support/folder.h"

using namespace opweave;
using namespace opweave::distributed;
using namespace std::chrono_literals;
using opweave::test::can_always;
using opweave::test::status_of_child;

namespace {

TEST_CASE("a HashStore") {
  HashStore store;
  CHECK(can_always([&] { store.add("key", 1); }));
}

TEST_CASE("a HashStore for which threads of the parent wait") {
  HashStore store;
  std::thread waits([&] { store.wait({"key"}, 20s); });
  std::this_thread::sleep_for(50ms);
  CHECK(status_of_child([&] { store.set("key", "of the child"); }) == 0);
  store.set("key", "of the parent");
  waits.join();
  CHECK(store.get("key") == "of the parent");
}

TEST_CASE("a FileStore") {
  const Folder folder;
  FileStore store((folder.path / "store").string());
  CHECK(can_always([&] { store.set("key", "value"); }, 100));
}

TEST_CASE("a turn that a thread of the parent has") {
  Turns turns;
  REQUIRE(turns.take(Deadline::after(0ms)));
  CHECK_FALSE(turns.take(Deadline::after(10ms)));
  std::thread waits([&] { turns.take(Deadline::after(20s)); });
  std::this_thread::sleep_for(50ms);
  CHECK(status_of_child([&] {
          const bool took = turns.take(Deadline::after(0ms));
          const bool twice = turns.take(Deadline::after(10ms));
          turns.give_back();
          _exit(took && !twice && turns.take(Deadline::after(0ms)) ? 0 : 1);
        }) == 0);
  turns.give_back();
  waits.join();
}

TEST_CASE("turns go round") {
  Turns turns;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) {
        if (!turns.take(Deadline::after(60s))) return;
        ++count;
        turns.give_back();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 8000);
}

TEST_CASE("who has no time left while it is told leaves the turn to the next") {
  Turns turns;
  std::atomic<int> taken{0};
  for (int i = 0; i < 200; ++i) {
    REQUIRE(turns.take(Deadline::after(1s)));
    std::thread hasty([&] {
      if (turns.take(Deadline::after(1ms))) turns.give_back();
    });
    std::thread patient([&] {
      if (!turns.take(Deadline::after(20s))) return;
      ++taken;
      turns.give_back();
    });
    std::this_thread::sleep_for(1ms);
    turns.give_back();
    hasty.join();
    patient.join();
  }
  CHECK(taken == 200);
}

}  // namespace
