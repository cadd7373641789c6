// TCPStore with many clients, threads and keys; what is left when stores end.
#include "runtime/distributed/store/tcp_store.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <thread>

#include "runtime/distributed/store/errors.h"
#include "tests/runtime/distributed/support.h"

using namespace opweave;
using namespace opweave::distributed;
using namespace std::chrono_literals;

namespace {

constexpr int kClients = 1000;
constexpr int kKeys = 100'000;

std::shared_ptr<TCPStore> master(std::string secret = {}) {
  TCPStoreOptions options{.host = "127.0.0.1", .is_master = true};
  options.secret = std::move(secret);
  return std::make_shared<TCPStore>(options);
}

// Both ends of each client are in this process.
void allow_descriptors(rlim_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(std::max(limit.rlim_cur, count), limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

TEST_CASE("threads use one object, and clones of it") {
  const auto store = master("secret");
  in_threads(8, [&](int rank) {
    const std::shared_ptr<Store> own = rank % 2 == 0 ? store : store->clone();
    for (int step = 0; step < 20; ++step) {
      own->set(str(step, "/", rank), str(rank));
      CHECK(own->get(str(step, "/", (rank + 1) % 8)) == str((rank + 1) % 8));
      own->add("sum", rank);
      own->queue_push("queue", "v");
      own->queue_pop("queue", true);
      own->barrier("end of step", 8);
    }
  });
  CHECK(store->get("sum") == "560");
}

TEST_CASE("a thousand clients and a hundred thousand keys") {
  allow_descriptors(2 * kClients + 100);
  const auto server = master();
  std::vector<std::shared_ptr<Store>> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(server->clone());
  in_threads(4, [&](int part) {
    for (int i = part; i < kKeys; i += 4) {
      clients[i % kClients]->set("key " + std::to_string(i), std::to_string(i));
    }
    // Sets are not waited for; this is answered behind them.
    for (int i = part; i < kClients; i += 4) clients[i]->add("done", 1);
  });
  CHECK(server->num_keys() == kKeys + 1);
  CHECK(server->list_keys().size() == kKeys + 1);
  for (int i = 0; i < kKeys; i += 997) {
    CHECK(clients[(i + 1) % kClients]->get("key " + std::to_string(i)) == std::to_string(i));
  }
  Store::Keys keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back("key " + std::to_string(i));
  clients[3]->wait(keys);
  CHECK(clients[4]->multi_get(keys).back() == std::to_string(kKeys - 1));
}

TEST_CASE("many wait for one key, and one for many") {
  const auto server = master();
  Store::Keys keys;
  for (int i = 0; i < 2000; ++i) keys.push_back(std::to_string(i));
  std::thread waits([&] { server->clone()->wait(keys, 30s); });
  std::thread sets([&] {
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) server->set(*key, "");
    server->set("go", "v");
  });
  in_threads(32, [&](int) { CHECK(server->get("go") == "v"); });
  sets.join();
  waits.join();
}

TEST_CASE("stores leave nothing behind") {
  master();
  const size_t open = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  for (int i = 0; i < 200; ++i) {
    const auto server = master(i % 2 == 0 ? "" : "secret");
    const auto client = server->clone();
    client->set("k", "v");
    if (i % 10 == 0) CHECK_THROWS_AS(client->wait({"never"}, 1ms), DistStoreError);
    CHECK(server->get("k") == "v");
  }
  CHECK(entries("/proc/self/fd") == open);
  CHECK(entries("/proc/self/task") == threads);
}
