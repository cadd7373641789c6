// Stores used from several threads at once: what is counted, who wakes, what is left behind.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/etcd/etcd_store.h"
#include "runtime/distributed/store/file_store.h"
#include "runtime/distributed/store/hash_store.h"
#include "runtime/distributed/store/prefix_store.h"
#include "tests/runtime/distributed/etcd_server.h"
#include "tests/runtime/distributed/support.h"

using namespace opweave;
using namespace opweave::distributed;
using namespace std::chrono_literals;

namespace {

using MakeStore = std::function<std::shared_ptr<Store>()>;

std::string new_path() {
  static std::atomic<int> number{0};
  const char* folder = std::getenv("TEST_TMPDIR");
  return str(folder != nullptr ? folder : "/tmp", "/store-", getpid(), "-", number++);
}

using Kinds = std::vector<std::pair<const char*, MakeStore>>;

std::shared_ptr<Store> on_etcd() {
  static const EtcdServer server;
  if (server.endpoint().empty()) return nullptr;
  return std::make_shared<EtcdStore>(EtcdOptions{{server.endpoint()}, new_path()}, 20s);
}

Kinds make_kinds() {
  Kinds kinds = {
      {"hash", [] { return std::make_shared<HashStore>(); }},
      {"file", [] { return std::make_shared<FileStore>(new_path(), 1); }},
      {"prefix", [] { return std::make_shared<PrefixStore>("p", std::make_shared<HashStore>()); }},
  };
  if (on_etcd() != nullptr) kinds.emplace_back("etcd", on_etcd);
  return kinds;
}

const Kinds kKinds = make_kinds();

void pass_values_around(Store& store) {
  in_threads(4, [&](int rank) {
    for (int step = 0; step < 20; ++step) {
      const std::string mine = str(step, "/", rank), next = str(step, "/", (rank + 1) % 4);
      store.set(mine, str(rank));
      CHECK(store.get(next) == str((rank + 1) % 4));
      store.add("sum", rank);
      store.queue_push("queue", mine);
      store.queue_pop("queue", true);
      store.barrier("end of step", 4);
    }
  });
  CHECK(store.get("sum") == "120");
  CHECK(store.queue_len("queue") == 0);
}

}  // namespace

TEST_CASE("threads share one store") {
  for (const auto& [name, make] : kKinds) {
    CAPTURE(name);
    pass_values_around(*make());
  }
}

TEST_CASE("every waiter of a key wakes") {
  for (const auto& [name, make] : kKinds) {
    CAPTURE(name);
    const auto store = make();
    std::atomic<int> woken{0};
    std::thread sets([&] {
      std::this_thread::sleep_for(20ms);
      store->set("k", "v");
    });
    in_threads(8, [&](int) {
      CHECK(store->get("k") == "v");
      ++woken;
    });
    sets.join();
    CHECK(woken == 8);
  }
}

TEST_CASE("one value of a queue goes to one of those who wait") {
  for (const auto& [name, make] : kKinds) {
    CAPTURE(name);
    const auto store = make();
    store->set_timeout(100ms);
    std::atomic<int> got{0}, none{0};
    std::thread pushes([&] { store->queue_push("q", "v"); });
    in_threads(4, [&](int) {
      try {
        store->queue_pop("q", true);
        ++got;
      } catch (const DistStoreError&) {
        ++none;
      }
    });
    pushes.join();
    CHECK(got == 1);
    CHECK(none == 3);
  }
}

TEST_CASE("waits leave nothing behind") {
  for (const auto& [name, make] : kKinds) {
    CAPTURE(name);
    const size_t open = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    for (int i = 0; i < 200; ++i) {
      const auto store = make();
      CHECK_THROWS_AS(store->wait({"never"}, -1ms), DistStoreError);
      if (i % 20 == 0) CHECK_THROWS_AS(store->wait({"never"}, 1ms), DistStoreError);
      store->set("a", "b");
    }
    CHECK(entries("/proc/self/fd") == open);
    CHECK(entries("/proc/self/task") == threads);
  }
}

TEST_CASE("errors are runtime errors with names") {
  HashStore store;
  try {
    store.wait({"a", "b"}, 1ms);
    FAIL("a wait for what is not there ended");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kRuntime);
    CHECK(error.message() ==
          "HashStore: wait: wait timeout after 1ms, keys: 'a', 'b' (0 of 2 are there)");
  }
}
