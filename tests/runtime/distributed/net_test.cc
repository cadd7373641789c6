// What ranks tell one another beside the data: words on a link, and how they meet.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <thread>

#include "runtime/distributed/backends/net/link.h"
#include "runtime/distributed/backends/net/meet.h"
#include "runtime/distributed/backends/net/roll.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"

using namespace opweave::distributed;
using namespace opweave::distributed::net;

namespace {

struct Pair {
  net::Link one, other;

  Pair() {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    one.open(Socket(Descriptor(ends[0])), {});
    other.open(Socket(Descriptor(ends[1])), {});
  }
};

const auto nobody = [](Word, uint64_t, std::string_view) {};

// The text of what it throws.
std::string meeting(int rank, const std::shared_ptr<HashStore>& store,
                    const std::function<std::string(int)>& greeting) try {
  const BackendContext context{store, "g", rank, 2, Milliseconds(9000)};
  meet(context, {"127.0.0.1", "over lo", greeting}, Deadline::after(context.timeout));
  return {};
} catch (const std::exception& error) {
  return error.what();
}

// Rank 0 of three, and what the two others say to it.
struct Three {
  net::Link one, two;
  net::Roll roll;

  Three() : roll(0, met(), {"me", "process 1", "process 2"}, "over lo") {
    roll.start({[](bool) { return false; }, [](int, uint64_t) {}});
  }

  std::vector<Met> met() {
    std::vector<Met> all(3);
    all[1].socket = open(one);
    all[2].socket = open(two);
    return all;
  }

  static Socket open(net::Link& link) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    link.open(Socket(Descriptor(ends[0])), {});
    return Socket(Descriptor(ends[1]));
  }

  // Until this rank has heard that it is over.
  void await_end() const {
    while (roll.failure().empty()) std::this_thread::yield();
  }

  // The text of what it throws.
  std::string wait() try {
    roll.wait_until_ready(Deadline::after(Milliseconds(9000)), "no group");
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
};

}  // namespace

TEST_CASE("every word that is said is heard") {
  Pair pair;
  for (uint32_t i = 0; i < kWords; ++i) pair.one.say(Word{i}, i + 1, std::string(i, 'x'));
  uint32_t heard = 0;
  CHECK(pair.other.hear([&](Word word, uint64_t number, std::string_view text) {
    CHECK(word == Word{heard});
    CHECK(number == heard + 1);
    CHECK(text == std::string(heard, 'x'));
    ++heard;
  }) == "");
  CHECK(heard == kWords);
  pair.one.say(Word{kWords}, 0, {});
  CHECK(pair.other.hear(nobody) == "what came was nothing that a rank says");
}

TEST_CASE("a rank that does not read is told apart from one that has ended") {
  Pair pair;
  const std::string text(100'000, 'x');
  std::string why;
  for (int i = 0; i < 1000 && why.empty(); ++i) {
    pair.one.say(Word::abort, 0, text);
    why = pair.one.hear(nobody);
  }
  CHECK(why == "it does not read what it is told");
  int whole = 0;
  CHECK(pair.other.hear([&](Word, uint64_t, std::string_view all) { whole += all == text; }) ==
        "ended");
  CHECK(whole > 0);
}

TEST_CASE("who gives up while another meets it says why") {
  const auto store = std::make_shared<HashStore>();
  std::string first;
  std::thread rank([&] {
    first = meeting(0, store, [](int) -> std::string { throw DistBackendError("no greeting"); });
  });
  const std::string second = meeting(1, store, [](int) { return "hello"; });
  rank.join();
  CHECK(first == "no greeting");
  CHECK(second ==
        "rank 1 of the group 'g' cannot connect to all others over lo: rank 0 gave up: "
        "no greeting");
}

TEST_CASE("a group that another rank has made and ended is made here as well") {
  Three ranks;
  ranks.one.say(Word::ready, 0, {});
  ranks.one.say(Word::abort, 0, "out of memory");
  ranks.await_end();
  std::thread late([&] { ranks.two.say(Word::ready, 0, {}); });
  CHECK(ranks.wait() == "");
  late.join();
  CHECK(ranks.roll.failure() == "out of memory");
}

TEST_CASE("a group that another rank could not make is not made here") {
  Three ranks;
  ranks.one.say(Word::ready, 0, {});
  ranks.one.say(Word::unmade, 0, "no device");
  ranks.await_end();
  CHECK(ranks.roll.why_unmade() == "no device");
  CHECK(ranks.wait() == "no group: no device");
}

TEST_CASE("who has ended will not be ready for a group that another has made and ended") {
  Three ranks;
  ranks.one.say(Word::ready, 0, {});
  ranks.one.say(Word::abort, 0, "out of memory");
  ranks.await_end();
  ranks.two.open(Socket(), {});
  CHECK(ranks.wait() == "no group: out of memory");
}
