// What comes next: alike on all ranks, whenever each is called.
#include "runtime/distributed/schedule/agenda.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>

using namespace opweave::distributed;

namespace {

using Parts = std::vector<Agenda::Part>;

Agenda::Item item(int priority, int64_t elements, int64_t grain = 1) {
  return {priority, static_cast<size_t>(elements) * 4, elements, grain, 0};
}

Agenda::Word least_of(const std::vector<Agenda>& ranks) {
  Agenda::Word least = ranks[0].word();
  for (const Agenda& rank : ranks) {
    const Agenda::Word word = rank.word();
    for (size_t i = 0; i < word.size(); ++i) least[i] = std::min(least[i], word[i]);
  }
  return least;
}

Parts next(Agenda& agenda) {
  std::string unlike;
  Parts parts = agenda.next(agenda.word(), unlike);
  CHECK(unlike == "");
  return parts;
}

bool same(const Parts& a, const Parts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.number == y.number && x.from == y.from && x.count == y.count &&
           x.is_first == y.is_first && x.is_last == y.is_last;
  });
}

}  // namespace

TEST_CASE("priority, then size, then number; what is urgent overtakes what has begun") {
  Agenda agenda(400);
  agenda.add(item(0, 250));
  Parts parts = next(agenda);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].count == 100);
  CHECK(parts[0].is_first);
  CHECK_FALSE(parts[0].is_last);
  agenda.add(item(1, 60));
  agenda.add(item(1, 50));
  agenda.add(item(1, 50));
  parts = next(agenda);
  // Two fit whole; the third is not cut for the sake of what is left.
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].number == 2);
  CHECK(parts[1].number == 3);
  CHECK(agenda.overtakings() == 2);
  parts = next(agenda);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].number == 1);
  parts = next(agenda);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].number == 0);
  CHECK(parts[0].from == 100);
  CHECK_FALSE(parts[0].is_first);
  parts = next(agenda);
  CHECK(parts[0].count == 50);
  CHECK(parts[0].is_last);
  CHECK(agenda.is_empty());
}

TEST_CASE("parts are whole grains; what cannot be cut is not") {
  Agenda agenda(400);
  agenda.add(item(0, 1000, 64));
  CHECK(next(agenda)[0].count == 64);
  agenda.add(item(1, 1000, 150));  // larger than a round: one of them
  CHECK(next(agenda)[0].count == 150);
  agenda.add(item(2, 1000, 0));
  CHECK(next(agenda)[0].count == 1000);
  agenda.add(item(2, 0));
  const Parts parts = next(agenda);
  CHECK(parts[0].count == 0);
  CHECK(parts[0].is_last);
}

TEST_CASE("a word speaks of a few calls, the next of more") {
  Agenda agenda(1 << 20);
  for (int i = 0; i < 20; ++i) agenda.add(item(i, 1));
  CHECK(next(agenda).size() == Agenda::kAhead);
  CHECK(next(agenda).size() == Agenda::kAhead);
  CHECK(next(agenda).size() == 20 - 2 * Agenda::kAhead);
}

TEST_CASE("calls that differ are found in the first round that has them") {
  const std::vector<Agenda::Item> others = {
      {1, 40, 10, 1, 0}, {0, 44, 11, 1, 0}, {0, 40, 10, 2, 0}, {0, 40, 10, 1, 7}};
  for (const Agenda::Item& other : others) {
    std::vector<Agenda> ranks(3, Agenda(400));
    for (size_t r = 0; r < 3; ++r) {
      ranks[r].add(item(5, 10));
      ranks[r].add(r == 1 ? other : item(0, 10));
    }
    const Agenda::Word least = least_of(ranks);
    for (Agenda& rank : ranks) {
      std::string unlike;
      CHECK(rank.next(least, unlike).empty());
      CHECK(unlike.find("collective number 1:") != std::string::npos);
    }
  }
}

// Ranks are called at random times; a round takes place whenever all have something pending.
TEST_CASE("ranks that are called at different times do the same, all of it, and never wait") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Agenda::Item> calls;
    for (int i = 0; i < 40; ++i) calls.push_back(item(draw(4), draw(500), draw(3) * 16));
    std::vector<Agenda> ranks(3, Agenda(400));
    std::vector<size_t> called(3);
    std::vector<int64_t> done(calls.size());
    const auto all_have = [&] {
      return std::none_of(ranks.begin(), ranks.end(), [](auto& r) { return r.is_empty(); });
    };
    for (;;) {
      const auto r = static_cast<size_t>(draw(3));
      for (int i = draw(15); i > 0 && called[r] < calls.size(); --i)
        ranks[r].add(calls[called[r]++]);
      if (!all_have()) {
        const bool ends =
            std::all_of(called.begin(), called.end(), [&](size_t n) { return n == calls.size(); });
        if (ends) break;
        continue;
      }
      const Agenda::Word least = least_of(ranks);
      std::optional<Parts> first;
      for (Agenda& rank : ranks) {
        std::string unlike;
        const Parts parts = rank.next(least, unlike);
        REQUIRE(unlike == "");
        REQUIRE(!parts.empty());
        if (!first) first = parts;
        REQUIRE(same(parts, *first));
      }
      for (const Agenda::Part& part : *first) {
        REQUIRE(part.from == done[part.number]);
        done[part.number] += part.count;
        REQUIRE(part.is_last == (done[part.number] == calls[part.number].elements));
      }
    }
    for (size_t i = 0; i < calls.size(); ++i) REQUIRE(done[i] == calls[i].elements);
    CHECK(ranks[0].order() == ranks[1].order());
    CHECK(ranks[0].order() == ranks[2].order());
    for (const Agenda& rank : ranks) CHECK(rank.is_empty());
  }
}
