// One key says which world is the present one, and one for each of its ranks who has it.
#include "runtime/distributed/backends/groups/claim.h"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/watchful_store.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/prefix_store.h"
#include "runtime/distributed/store/process.h"

namespace opweave::distributed {
namespace {

constexpr const char* kPresent = "world/present";
constexpr const char* kOver = "over";  // why a world does not come about
constexpr Milliseconds kBetweenLooks{200};
// For saying that one leaves: the store may have gone before.
constexpr Milliseconds kMoment{150};

// When a process began, as its system counts; 0 where there is no such process any more.
uint64_t beginning_of(int process) {
  std::ifstream file(str("/proc/", process, "/stat"));
  std::string line;
  if (!std::getline(file, line)) return 0;
  // The name of the program, in brackets, may hold anything.
  const size_t end = line.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream words(line.substr(end + 1));
  std::string word;
  words >> word;
  if (word == "Z" || word == "X") return 0;  // ended, and its parent has not looked
  constexpr int kBeginning = 22 - 3;         // of the fields, of which three are behind
  for (int i = 0; i < kBeginning; ++i) words >> word;
  uint64_t began = 0;
  std::from_chars(word.data(), word.data() + word.size(), began);
  return began;
}

std::string random_text() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = beginning_of(getpid());
  return std::to_string(number);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

int64_t number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size())
    throw DistStoreError(str("the store holds no world where one is expected: '", text, "'"));
  return number;
}

}  // namespace

// Who has a rank, in lines.
struct Claim::Holder {
  std::string who;   // as people are told
  std::string host;  // as host_identity() tells it
  int64_t process = 0, began = 0;
  std::string chance;  // tells two of one process apart

  static Holder of(const std::string& text) {
    const std::vector<std::string> lines = lines_of(text);
    if (lines.size() != 5)
      throw DistStoreError(str("the store holds no process where one is expected: '", text, "'"));
    return {lines[0], lines[1], number_in(lines[2]), number_in(lines[3]), lines[4]};
  }
  std::string text() const {
    return str(who, "\n", host, "\n", process, "\n", began, "\n", chance);
  }
  // Known to have ended.
  bool is_gone() const {
    if (host.empty() || host != host_identity()) return false;
    const uint64_t now = beginning_of(static_cast<int>(process));
    return now == 0 || now != static_cast<uint64_t>(began);
  }
  bool is_own() const { return process == getpid() && host == host_identity(); }
};

// The one that processes are to join.
struct Claim::World {
  int64_t number = 0, size = 0, rank = 0;  // of who made it
  Holder maker;

  static World of(const std::string& text) {
    std::istringstream words(text);
    std::string number, size, rank, rest;
    words >> number >> size >> rank;
    words.ignore();
    std::getline(words, rest, '\0');
    return {number_in(number), number_in(size), number_in(rank), Holder::of(rest)};
  }
  std::string text() const { return str(number, " ", size, " ", rank, "\n", maker.text()); }
};

Claim::Claim(std::shared_ptr<Store> store, const std::string& group, int rank, int size)
    : store_(std::move(store)),
      rank_(rank),
      size_(size),
      process_(getpid()),
      mine_(Holder{own_process(), host_identity(), getpid(),
                   static_cast<int64_t>(beginning_of(getpid())), random_text()}
                .text()) {
  const auto fail = [&](const Error& error) {
    throw DistBackendError(
        str("the group '", group, "' of ", size,
            " ranks cannot be made: the store does not answer: ", error.message()));
  };
  try {
    take_place();
  } catch (const DistNetworkError& error) {
    fail(error);
  } catch (const DistStoreError& error) {
    fail(error);
  }
  meeting_ = std::make_shared<WatchfulStore>(own_, look(group));
}

void Claim::take_place() {
  World world = join();
  while (!take(world)) world = advance(world);
  own_ = std::make_shared<PrefixStore>(str("world/", world.number), store_);
  if (world.size != size_) disagree(world);
}

Claim::Holder Claim::self() const { return Holder::of(mine_); }

std::string Claim::place_of(int64_t number, int rank) const {
  return str("world/", number, "/rank/", rank);
}

// The present world; one of its own where there is none, or where nobody is in it any more.
Claim::World Claim::join() {
  const World first{0, size_, rank_, self()};
  const World world = World::of(store_->compare_set(kPresent, "", first.text()));
  const bool is_over = world.maker.text() != mine_ && world.maker.is_gone() && is_abandoned(world);
  return is_over ? advance(world) : world;
}

// Whether all that came to a world have ended or left it.
bool Claim::is_abandoned(const World& world) {
  for (int r = 0; r < world.size; ++r) {
    const std::string place = place_of(world.number, r);
    if (!store_->check({place})) continue;
    const std::string text = store_->get(place);
    if (!text.starts_with("left\n") && !Holder::of(text).is_gone()) return false;
  }
  return true;
}

// The world after one that is past; another process may have begun it.
Claim::World Claim::advance(const World& past) {
  const World next{past.number + 1, size_, rank_, self()};
  return World::of(store_->compare_set(kPresent, past.text(), next.text()));
}

// False where this rank had its part in that world already, which is over for it.
bool Claim::take(const World& world) {
  const std::string place = place_of(world.number, rank_);
  const std::string text = store_->compare_set(place, "", mine_);
  if (text == mine_) {
    place_ = place;
    return true;
  }
  if (text.starts_with("left\n")) return false;
  const Holder holder = Holder::of(text);
  if (holder.is_gone()) {
    tell(world.number, str("rank ", rank_, " (", holder.who, ") has ended"));
    return false;
  }
  OW_CHECK_VALUE(!holder.is_own(), "init_process_group(): rank ", rank_,
                 " is that of this process already (", holder.who,
                 "), whose group has not been destroyed");
  OW_THROW(ErrorKind::kValue, "init_process_group(): rank ", rank_, " is that of ", holder.who,
           ", which has not left its group; this is ", own_process());
}

void Claim::disagree(const World& world) {
  const std::string why =
      str("rank ", rank_, " (", own_process(), ") was started for a world of ", size_, ", rank ",
          world.rank, " (", world.maker.who, ") for one of ", world.size);
  tell(world.number, why);
  release();
  OW_THROW(ErrorKind::kValue, "init_process_group(): the ranks disagree on the world size: ", why);
}

void Claim::tell(int64_t number, const std::string& why) {
  store_->set(str("world/", number, "/", kOver), why);
}

std::function<void()> Claim::look(const std::string& group) const {
  return [store = own_, made = made_, name = group, size = size_,
          next = std::make_shared<Deadline>(Deadline::after(kBetweenLooks))] {
    if (made->load() || !next->passed()) return;
    *next = Deadline::after(kBetweenLooks);
    if (store->check({kOver}))
      throw DistBackendError(
          str("the group '", name, "' of ", size, " ranks cannot be made: ", store->get(kOver)));
  };
}

void Claim::release() noexcept {
  if (place_.empty() || getpid() != process_) return;
  try {
    const TimeLimitScope moment(kMoment);
    store_->set(place_, "left\n" + mine_);
  } catch (const std::exception&) {
    // The store has gone before, and what it held.
  }
  place_.clear();
}

}  // namespace opweave::distributed
