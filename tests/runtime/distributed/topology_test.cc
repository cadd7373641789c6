// Where ranks are, and which way of an all_reduce follows from it.
#include "runtime/distributed/backends/exchange/topology.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

using namespace opweave::distributed;
using namespace opweave::distributed::exchange;

namespace {

std::vector<std::string> hosts_of(int hosts, int ranks) {
  std::vector<std::string> all;
  for (int h = 0; h < hosts; ++h)
    all.insert(all.end(), static_cast<size_t>(ranks), std::to_string(h));
  return all;
}

constexpr size_t kMany = 100 << 20;

}  // namespace

TEST_CASE("ranks of a host, and those across") {
  const Topology even(hosts_of(3, 2));
  CHECK(even.hosts() == 3);
  CHECK(even.is_even());
  CHECK(even.beside(3) == std::vector<int>{2, 3});
  CHECK(even.across(3) == std::vector<int>{1, 3, 5});
  const Topology mixed({"a", "b", "a", "b", "b"});
  CHECK_FALSE(mixed.is_even());
  CHECK(mixed.beside(4) == std::vector<int>{1, 3, 4});
  CHECK(mixed.across(0) == std::vector<int>{0, 1});
  CHECK_FALSE(Topology(hosts_of(4, 1)).is_even());
  CHECK(Topology(hosts_of(1, 4)).host_of_ranks() == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("two ranks have one way") {
  CHECK(Topology(hosts_of(2, 1)).choose(4) == Way::direct);
  CHECK(Topology(hosts_of(1, 2)).choose(kMany) == Way::direct);
}

TEST_CASE("hosts of several ranks exchange shares") {
  const Topology even(hosts_of(2, 8));
  CHECK(even.choose(kMany) == Way::two_level);
  CHECK(even.forecast(Way::two_level, kMany) < even.forecast(Way::direct, kMany) / 4);
  // A ring of ranks in turns leaves its host with every step.
  const Topology turns({"a", "b", "a", "b"});
  CHECK(turns.forecast(Way::ring, kMany) >
        1.9 * Topology(hosts_of(2, 2)).forecast(Way::ring, kMany));
  CHECK(std::isinf(Topology({"a", "b", "b"}).forecast(Way::two_level, kMany)));
  CHECK(std::isinf(Topology(hosts_of(1, 8)).forecast(Way::two_level, kMany)));
}

TEST_CASE("few bytes of many ranks go where there are few steps, many bytes where each goes once") {
  Topology many(hosts_of(64, 1));
  // No gap between messages: all at once is least. With gaps the steps of a tree are fewer.
  many.set_links({{10e-6, 0, 1e9}, {10e-6, 0, 1e12}});
  CHECK(many.choose(4) == Way::direct);
  many.set_links({{10e-6, 10e-6, 1e9}, {10e-6, 10e-6, 1e12}});
  CHECK(many.choose(4) == Way::tree);
  // In a tree of chunks every rank sends all twice, in shares (n - 1) / n of it twice.
  const double bandwidth = 2.0 * kMany / 1e9;
  many.set_links({{1e-9, 0, 1e9}, {1e-9, 0, 1e9}});
  CHECK(many.forecast(Way::double_tree, kMany) == doctest::Approx(bandwidth));
  CHECK(many.forecast(Way::ring, kMany) == doctest::Approx(bandwidth * 63 / 64));
  CHECK(many.forecast(Way::tree, kMany) == doctest::Approx(bandwidth * 6));
}

TEST_CASE("what is chosen is explained") {
  Topology even(hosts_of(2, 2));
  const std::string text = even.explain(4096);
  CHECK(text.starts_with("all_reduce of 4096 bytes, 4 ranks on 2 hosts: "));
  for (const Way way : kWays) CHECK(text.find(std::string(name_of(way)) + ": ") != text.npos);
  setenv("OPWEAVE_ALL_REDUCE", "ring", 1);
  CHECK(Topology(hosts_of(2, 2)).choose(4096) == Way::ring);
  CHECK(Topology(hosts_of(2, 2)).explain(4096).find("ring (OPWEAVE_ALL_REDUCE=ring)") !=
        std::string::npos);
  setenv("OPWEAVE_ALL_REDUCE", "two_level", 1);
  CHECK(Topology(hosts_of(3, 1)).choose(4096) == Way::direct);
  setenv("OPWEAVE_ALL_REDUCE", "rings", 1);
  CHECK_THROWS_WITH(
      Topology(hosts_of(3, 1)),
      "OPWEAVE_ALL_REDUCE=rings: expected one of direct, ring, tree, double_tree, two_level");
  unsetenv("OPWEAVE_ALL_REDUCE");
}
