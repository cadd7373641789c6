// What operations do to the keys of a store, without threads or files.
#include "runtime/distributed/store/table.h"

#include <doctest/doctest.h>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/limits.h"
#include "runtime/distributed/store/waiters.h"

using namespace opweave;
using namespace opweave::distributed;

TEST_CASE("counters are numbers as text") {
  Table table;
  CHECK(table.added("n", 3) == "3");
  table.set("n", "-7");
  CHECK(table.added("n", 3) == "-4");
  for (const char* text : {"12hello", " 1", "+1", "1.0", "99999999999999999999", "hello"}) {
    table.set("n", text);
    CHECK_THROWS_WITH_AS(table.added("n", 1), doctest::Contains("add: the value of key 'n' is not"),
                         Error);
  }
  table.set("n", "-9223372036854775808");
  CHECK_THROWS_WITH(table.added("n", -1),
                    "add: -9223372036854775808 + -1 for key 'n' is no number of 64 bits");
}

TEST_CASE("an expected value of nothing means no key, or an empty value") {
  Table table;
  CHECK(table.compares("k", ""));
  CHECK_FALSE(table.compares("k", "x"));
  CHECK(table.after_compare("k", "x") == "x");
  table.set("k", "");
  CHECK(table.compares("k", ""));
  table.set("k", "v");
  CHECK_FALSE(table.compares("k", ""));
  CHECK(table.after_compare("k", "") == "v");
}

TEST_CASE("queues are beside keys, and gone when they are empty") {
  Table table;
  table.push("k", "1");
  table.push("k", "2");
  CHECK(table.has("k"));
  CHECK(table.find("k") == nullptr);
  CHECK(table.num_keys() == 0);
  CHECK(*table.front("k") == "1");
  CHECK(table.pop("k") == "1");
  CHECK(table.pop("k") == "2");
  CHECK(table.pop("k") == std::nullopt);
  CHECK_FALSE(table.has("k"));
  table.push("k", "3");
  table.set("k", "v");
  CHECK(table.erase("k"));
  CHECK(table.queue_len("k") == 0);
  CHECK_FALSE(table.erase("k"));
}

TEST_CASE("a store's own keys are counted and not listed") {
  Table table;
  table.set(std::string(kReserved) + "users", "1");
  table.set("k", "v");
  CHECK(table.num_keys() == 2);
  CHECK(table.list_keys() == std::vector<std::string>{"k"});
}

TEST_CASE("keys are shown on one line") {
  CHECK(quoted("a'b\\c\n\xff") == "'a\\x27b\\x5cc\\x0a\\xff'");
  CHECK(quoted(std::string(130, 'x')) == "'" + std::string(120, 'x') + "…'");
}

TEST_CASE("who waits for a key is found in order, and not after leaving") {
  int first = 0, second = 0;
  Waiters<int> waiters;
  waiters.add("k", &first);
  waiters.add("k", &second);
  waiters.add("j", &first);
  CHECK(waiters.of("k") == std::vector<int*>{&first, &second});
  waiters.remove("k", &first);
  waiters.remove("k", &first);
  CHECK(waiters.of("k") == std::vector<int*>{&second});
  CHECK(waiters.of("other").empty());
}
