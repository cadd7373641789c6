// A server in a process that has no file descriptors left.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <vector>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/tcp_store.h"
#include "tests/runtime/distributed/support.h"

using namespace opweave;
using namespace opweave::distributed;
using namespace std::chrono_literals;

TEST_CASE("a server without free file descriptors refuses clients, and serves those it has") {
  const auto server =
      std::make_shared<TCPStore>(TCPStoreOptions{.host = "127.0.0.1", .is_master = true});
  const auto client = server->clone();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit small = before;
  small.rlim_cur = entries("/proc/self/fd") + 1;
  std::vector<std::shared_ptr<Store>> more;
  setrlimit(RLIMIT_NOFILE, &small);
  server->set_timeout(200ms);
  // Not by doctest, which may want to open files itself.
  bool is_refused = false;
  try {
    for (int i = 0; i < 50; ++i) more.push_back(server->clone());
  } catch (const DistNetworkError&) {
    is_refused = true;
  }
  CHECK(client->add("n", 1) == 1);
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(is_refused);
  server->set_timeout(10s);
  CHECK(server->clone()->add("n", 1) == 2);
}
