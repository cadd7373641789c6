// Records of a FileStore's file: whole, half and wrong ones.
#include "runtime/distributed/store/store_file.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/limits.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

std::string record(char change, const std::string& key, const std::string& value = "") {
  std::string text(1, change);
  for (const std::string* part : {&key, &value}) {
    const auto length = static_cast<uint32_t>(part->size());
    text.append(reinterpret_cast<const char*>(&length), sizeof length);
  }
  return text + key + value;
}

}  // namespace

TEST_CASE("records are read one after the other") {
  Table table;
  const std::string log = record('s', "a", "1") + record('p', "q", "x") + record('p', "q", "y") +
                          record('q', "q") + record('s', "b", "2") + record('e', "a");
  CHECK(replay(log, table, "f") == log.size());
  CHECK(table.find("a") == nullptr);
  CHECK(*table.find("b") == "2");
  CHECK(*table.front("q") == "y");
}

TEST_CASE("half a record is left for later, wherever it ends") {
  const std::string first = record('s', "a", "1");
  const std::string log = first + record('s', "key", "value");
  for (size_t size = first.size(); size < log.size(); ++size) {
    Table table;
    CHECK(replay(std::string_view(log).substr(0, size), table, "f") == first.size());
    CHECK(table.num_keys() == 1);
  }
}

TEST_CASE("anything else is refused, and nothing is read beyond the end") {
  std::minstd_rand random(7);
  const std::string good = record('s', "a", "1") + record('p', "q", "x") + record('e', "a");
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    // Of its exact size, so that a sanitizer sees every byte too far.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    Table table;
    try {
      const size_t used = replay({exact.data(), exact.size()}, table, "f");
      CHECK(used <= exact.size());
    } catch (const Error& error) {
      CHECK(doctest::String(error.what()) ==
            doctest::Contains("the file is not one of a FileStore"));
    }
  }
}
