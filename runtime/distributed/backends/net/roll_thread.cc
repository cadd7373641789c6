// What others say, and the thread that hears it.
#include <poll.h>
#include <unistd.h>

#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/net/roll.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed::net {
namespace {

// Who waits for data looks around so often.
constexpr int kTick = 100;

}  // namespace

void Roll::start(Hooks hooks) {
  hooks_ = std::move(hooks);
  thread_ = begin_thread([this] { listen(); });
}

Roll::~Roll() {
  stopping_.store(true);
  event_.set();
  if (thread_.joinable()) thread_.join();
}

void Roll::wake() noexcept {
  if (sleeps_.load()) event_.set();
}

void Roll::listen() {
  std::vector<pollfd> wanted{{event_.descriptor(), POLLIN, 0}};
  for (const auto& other : others_)
    wanted.push_back({other->link.is_open() ? other->link.descriptor() : -1, POLLIN, 0});
  // What had come before.
  for (int r = 0; r < ranks_; ++r) {
    if (wanted[size_t(r) + 1].fd >= 0 && !hear_from(r)) wanted[size_t(r) + 1].fd = -1;
  }
  int idle = 0;  // so many ticks nobody has waited
  while (!stopping_.load()) {
    sleeps_.store(idle > 1);
    // Who began to wait before it could see that.
    if (idle > 1 && hooks_.nudge(false)) idle = 0;
    const int ready = poll(wanted.data(), wanted.size(), idle > 1 ? -1 : kTick);
    if (ready == 0) idle = hooks_.nudge(false) ? 0 : idle + 1;
    if (ready <= 0) continue;
    if (wanted[0].revents != 0) {
      uint64_t times;
      [[maybe_unused]] const ssize_t n = read(event_.descriptor(), &times, sizeof times);
      idle = 0;
    }
    for (int r = 0; r < ranks_; ++r) {
      if (wanted[size_t(r) + 1].revents != 0 && !hear_from(r)) wanted[size_t(r) + 1].fd = -1;
    }
  }
}

bool Roll::hear_from(int rank) {
  const std::string end = others_[size_t(rank)]->link.hear(
      [&](Word word, uint64_t number, std::string_view text) { hear(rank, word, number, text); });
  if (!end.empty()) lose(rank, end);
  return end.empty();
}

void Roll::hear(int rank, Word word, uint64_t number, std::string_view text) {
  heed(rank, word, number, text);
  {
    const std::lock_guard lock(mutex_);
    Other& other = *others_[size_t(rank)];
    other.heard = Deadline::Clock::now(), other.is_silent = false;
    ++heard_;
  }
  changed_.notify_all();
}

void Roll::heed(int rank, Word word, uint64_t number, std::string_view text) {
  Other& other = *others_[size_t(rank)];
  if (word == Word::ask) return answer(rank, number);
  if (word == Word::knock) return say(rank, Word::here, 0);
  if (word == Word::abort) made_by_another_.store(true);
  if (word == Word::abort || word == Word::unmade) return end(std::string(text), rank, number);
  if (word == Word::taken) return hooks_.taken(rank, number);
  bool needs_nothing = false;
  {
    const std::lock_guard lock(mutex_);
    if (word == Word::ready) other.is_ready = true;
    if (word == Word::bye) other.needs_nothing = true;
    if (word == Word::left) {
      other.has_left = true, other.done = number;
      somebody_left_.store(true, std::memory_order_release);
      needs_nothing = done_ >= number;
    }
    read_answer(other, word, number, text);
  }
  if (needs_nothing) say(rank, Word::bye, 0);
  // What somebody waits for may now never come.
  if (word == Word::left) hooks_.nudge(true);
}

void Roll::read_answer(Other& other, Word word, uint64_t number, std::string_view text) {
  if (word != Word::called && word != Word::not_yet && word != Word::done) return;
  other.answered = number;
  other.has_begun = word != Word::not_yet;
  other.record.is_known = false;
  other.in.reset();
  if (word == Word::not_yet && text.size() == sizeof(Call))
    std::memcpy(&other.in.emplace(), text.data(), sizeof(Call));
  const size_t sizes = static_cast<size_t>(ranks_) * 2 * sizeof(uint64_t);
  if (word != Word::called || text.size() != sizeof(Call) + sizes) return;
  std::memcpy(&other.record.call, text.data(), sizeof(Call));
  other.record.sizes.resize(static_cast<size_t>(ranks_) * 2);
  std::memcpy(other.record.sizes.data(), text.data() + sizeof(Call), sizes);
  other.record.is_known = true;
}

void Roll::answer(int rank, uint64_t number) {
  std::string text;
  Word word = Word::called;
  {
    const std::lock_guard lock(mutex_);
    const Record& record = records_[number % kRemembered];
    if (number >= begun_) {
      word = Word::not_yet;
      const Call& now = records_[done_ % kRemembered].call;
      if (begun_ > done_ && now.sequence == done_)
        text.append(reinterpret_cast<const char*>(&now), sizeof now);
    } else if (record.call.sequence != number) {
      word = Word::done;
    } else {
      text.append(reinterpret_cast<const char*>(&record.call), sizeof(Call));
      text.append(reinterpret_cast<const char*>(record.sizes.data()),
                  record.sizes.size() * sizeof(uint64_t));
    }
  }
  others_[size_t(rank)]->link.say(word, number, text);
}

void Roll::lose(int rank, const std::string& why) {
  Other& other = *others_[size_t(rank)];
  bool left = false;
  {
    const std::lock_guard lock(mutex_);
    other.has_ended = true;
    ++heard_;
    // Who has ended the group has given what others have still to finish.
    left = other.has_left || (over_.load() && by_ == rank);
  }
  changed_.notify_all();
  if (left) return;
  const std::string name = str("rank ", rank, " (", other.who, ")");
  abort(why == "ended" ? name + " has ended"
                       : str(name, " cannot be reached any more ", network_, ": ", why));
}

}  // namespace opweave::distributed::net
