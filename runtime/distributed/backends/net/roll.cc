// What this rank says and does: its calls, its questions, its end.
#include "runtime/distributed/backends/net/roll.h"

#include <algorithm>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::net {
namespace {

// Between questions, at first and at most; and how long those that have been asked have to answer
// before a difference is reported without them.
constexpr Milliseconds kFirstInterval{100}, kLastInterval{10'000}, kAnswerTime{500};
// The same of ranks that compare before they begin.
constexpr Milliseconds kFirstPause{2}, kLongestPause{100};
// So long before its deadline who waits asks once more, so that a report says how it is now; an
// answer may take so long.
constexpr Milliseconds kLastRound{500}, kLastAnswer{250};
// Who leaves waits so long for others that still need it, of which it asks whether they are there;
// those that do not answer are not waited for.
constexpr Milliseconds kLongestLeave{10'000}, kBetweenKnocks{200}, kSilence{800};
// How long the reason for a broken connection may be on its way.
constexpr Milliseconds kReasonTime{700};

}  // namespace

Roll::Roll(int rank, std::vector<Met> met, std::vector<std::string> who, std::string network)
    : rank_(rank), ranks_(static_cast<int>(met.size())), network_(std::move(network)) {
  for (size_t r = 0; r < met.size(); ++r) {
    others_.push_back(std::make_unique<Other>());
    others_[r]->link.open(std::move(met[r].socket), std::move(met[r].more));
    others_[r]->who = std::move(who[r]);
  }
}

void Roll::wait_until_ready(const Deadline& deadline, const std::string& what) {
  for (int r = 0; r < ranks_; ++r) say(r, Word::ready, 0);
  std::unique_lock lock(mutex_);
  while (!not_ready().empty()) {
    if (!can_be_made()) throw DistBackendError(str(what, ": ", reason_));
    if (deadline.passed()) {
      const std::string why = str(what, ": ", name_ranks(not_ready()), " did not come in time");
      lock.unlock();
      abort(why);  // or the others would see no more than that this rank ended
      throw DistBackendError(why);
    }
    changed_.wait_until(lock, std::min(deadline.at(), Deadline::Clock::now() + kInterruptInterval));
    lock.unlock();
    check_interrupts();
    lock.lock();
  }
}

std::vector<int> Roll::not_ready() const {
  std::vector<int> ranks;
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_ && !others_[size_t(r)]->is_ready) ranks.push_back(r);
  }
  return ranks;
}

// Who has made it has heard that all are ready: so will this rank, of those that are still there.
bool Roll::can_be_made() const {
  if (!over_.load()) return true;
  const std::vector<int> late = not_ready();
  return made_by_another_.load() && std::none_of(late.begin(), late.end(), [&](int r) {
           return others_[size_t(r)]->has_ended;
         });
}

std::string Roll::why_unmade() const {
  const std::lock_guard lock(mutex_);
  return can_be_made() ? "" : reason_;
}

void Roll::begin(const Collective& collective) {
  const std::lock_guard lock(mutex_);
  begun_ = collective.sequence + 1;
  Record& record = records_[collective.sequence % kRemembered];
  record.call = call_of(collective);
  record.is_known = true;
  record.sizes.resize(static_cast<size_t>(ranks_) * 2);
  write_sizes(collective, ranks_, record.sizes.data(), record.sizes.data() + ranks_);
}

void Roll::finish(const Collective& collective) {
  std::vector<int> leavers;
  {
    const std::lock_guard lock(mutex_);
    done_ = collective.sequence + 1;
    if (over_.load(std::memory_order_relaxed)) changed_.notify_all();
    if (!somebody_left_.load(std::memory_order_relaxed)) return;
    for (int r = 0; r < ranks_; ++r) {
      if (others_[size_t(r)]->has_left && others_[size_t(r)]->done <= done_) leavers.push_back(r);
    }
  }
  for (const int r : leavers) say(r, Word::bye, 0);
}

void Roll::check(const Collective& collective) {
  if (gone_.load(std::memory_order_acquire))
    throw DistBackendError(describe_call(collective) + ": its process group was destroyed");
  // In this order: who left because the group was over had said that, or heard it, before.
  const std::vector<int> left = leavers_before(collective);
  if (over_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    if (is_letter(collective.kind) || collective.sequence >= over_from_)
      throw DistBackendError(
          str(describe_call(collective), ": rank ", by_, " ended the group: ", reason_));
  }
  if (!left.empty()) give_up(collective, name_ranks(left) + " left the group");
}

std::vector<int> Roll::leavers_before(const Collective& collective) const {
  // Who has left has no letters left to take; whether one will come, who waits for it asks itself.
  if (!somebody_left_.load(std::memory_order_acquire) || is_letter(collective.kind)) return {};
  std::vector<int> left;
  const std::lock_guard lock(mutex_);
  for (int r = 0; r < ranks_; ++r) {
    const Other& other = *others_[size_t(r)];
    if (other.has_left && other.done <= collective.sequence) left.push_back(r);
  }
  return left;
}

void Roll::look_around(const Collective& collective, const Deadline& deadline) {
  const uint64_t number = collective.sequence;
  const auto now = Deadline::Clock::now();
  std::string why;
  bool asks = false;
  {
    const std::lock_guard lock(mutex_);
    if (asked_for_ != number) {
      asked_for_ = number, first_asked_ = now, interval_ = kFirstInterval, asks = true;
      last_round_ = {};
    } else if (now - asked_ >= interval_) {
      interval_ = std::min(interval_ * 2, kLastInterval), asks = true;
    }
    if (last_round_ == Deadline::Clock::time_point() && deadline.remaining() <= kLastRound)
      last_round_ = now, asks = true;
    if (asks) asked_ = now;
    why = unlike_calls(number, now - first_asked_ < kAnswerTime);
    const bool answered = all_heard_since(last_round_) || now - last_round_ >= kLastAnswer;
    if (why.empty() && deadline.passed() && answered) why = str(why_late(number), ", ", network_);
  }
  if (!why.empty()) give_up(collective, why);
  for (int r = 0; asks && r < ranks_; ++r) say(r, Word::ask, number);
}

void Roll::compare(const Collective& collective, const Deadline& deadline) {
  const uint64_t number = collective.sequence;
  std::vector<int> late;
  for (Milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    check(collective);
    check_interrupts();
    {
      const std::lock_guard lock(mutex_);
      late = missing(number);
      if (late.empty()) break;
    }
    if (deadline.passed()) give_up(collective, not_in_time(late, ranks_) + ", " + network_);
    for (const int r : late) say(r, Word::ask, number);
    pause_for(pause, deadline);
  }
  const std::lock_guard lock(mutex_);
  const std::string why = unlike_calls(number, /*all=*/false);
  if (!why.empty()) throw Unlike(str(describe_call(collective), ": ", why));
}

// Nothing of what was begun so long ago that its place is another's.
Said Roll::own_said(uint64_t number) const {
  const Record& record = records_[number % kRemembered];
  return record.call.sequence == number ? said(record) : Said();
}

Said Roll::said(const Record& record) const {
  if (!record.is_known) return {};
  return {&record.call, record.sizes.data(), record.sizes.data() + ranks_};
}

std::string Roll::unlike_calls(uint64_t number, bool all) {
  std::vector<Said> ranks;
  for (int r = 0; r < ranks_; ++r) {
    const Other& other = *others_[size_t(r)];
    if (r == rank_)
      ranks.push_back(own_said(number));
    else
      ranks.push_back(other.answered == number ? said(other.record) : Said{});
    if (all && ranks.back().call == nullptr) return {};
  }
  return unlike(ranks);
}

bool Roll::has_begun(const Other& other, uint64_t number) const {
  return other.has_left ? other.done > number : other.answered == number && other.has_begun;
}

std::vector<int> Roll::missing(uint64_t number) const {
  std::vector<int> ranks;
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_ && !has_begun(*others_[size_t(r)], number)) ranks.push_back(r);
  }
  return ranks;
}

bool Roll::all_heard_since(Deadline::Clock::time_point time) const {
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_ && others_[size_t(r)]->heard < time) return false;
  }
  return true;
}

std::string Roll::why_late(uint64_t number) const {
  std::vector<int> late, silent, came;
  std::string elsewhere;
  for (int r = 0; r < ranks_; ++r) {
    const Other& other = *others_[size_t(r)];
    const bool answers = other.has_left || other.heard >= last_round_;
    if (r == rank_ || (has_begun(other, number) && answers))
      came.push_back(r);
    else if (has_begun(other, number))
      silent.push_back(r);
    else if (answers && other.answered == number && other.in)
      elsewhere += str("; rank ", r, " is still in ", name_call(*other.in));
    else
      late.push_back(r);
  }
  std::string text;
  if (!silent.empty()) text += str("; ", name_ranks(silent), " no longer answered");
  if (!late.empty())
    text += str("; ", name_ranks(late), " did not come in time; ", name_ranks(came), " did");
  text += elsewhere;
  return text.empty() ? "the data did not come in time" : text.substr(2);
}

void Roll::lose_data(const Collective& collective, int rank, const std::string& error) {
  const Deadline deadline = Deadline::after(kReasonTime);
  while (!deadline.passed()) {
    const bool left = rank >= 0 && has_left(rank);
    check(collective);
    if (left) give_up(collective, str("rank ", rank, " left the group"));
    pause_for(Milliseconds(5), deadline);
  }
  give_up(collective, str("the connection to rank ", rank, " broke ", network_, ": ", error));
}

void Roll::give_up(const Collective& collective, const std::string& why) {
  const std::string text = describe_call(collective) + ": " + why;
  abort(text);
  throw DistBackendError(text);
}

void Roll::abort(const std::string& reason) noexcept {
  if (gone_.load()) return;
  uint64_t done = 0;
  std::string text = reason;
  {
    const std::lock_guard lock(mutex_);
    if (over_.load() && over_from_ == 0) return;
    done = done_;
    // What this rank fails of now comes of that, and may be heard before it.
    if (over_.load()) text = str("rank ", by_, " ended the group: ", reason_);
  }
  text.resize(std::min(text.size(), size_t{kLongestText}));
  const bool is_news = set_over(reason, rank_, 0);
  // Before what runs here is ended, which a wire that hangs could hold up.
  const Word word = made_.load() ? Word::abort : Word::unmade;
  for (int r = 0; r < ranks_; ++r) others_[size_t(r)]->link.say(word, done, text);
  if (is_news) wake_all();
}

void Roll::end(std::string reason, int by, uint64_t from) noexcept {
  if (set_over(std::move(reason), by, from)) wake_all();
}

bool Roll::set_over(std::string reason, int by, uint64_t from) noexcept {
  const std::lock_guard lock(mutex_);
  if (over_.load() && from >= over_from_) return false;
  over_from_ = from;
  // The first reason counts.
  if (!over_.load()) reason_ = std::move(reason), by_ = by;
  over_.store(true, std::memory_order_release);
  return true;
}

void Roll::wake_all() noexcept {
  changed_.notify_all();
  if (hooks_.nudge) hooks_.nudge(true);
}

bool Roll::is_over() const {
  if (!over_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return ended();
}

std::string Roll::failure() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Deadline Roll::leaving(Milliseconds timeout) {
  return Deadline::after(timeout.count() > 0 ? std::min(timeout, kLongestLeave) : kLongestLeave);
}

void Roll::leave(const Deadline& deadline) noexcept {
  if (gone_.exchange(true)) return;
  if (hooks_.nudge) hooks_.nudge(true);
  std::unique_lock lock(mutex_);
  const uint64_t done = done_;
  lock.unlock();
  for (int r = 0; r < ranks_; ++r) say(r, Word::left, done);
  await(deadline, kSilence, [&](int r) {
    const std::lock_guard lock(mutex_);
    return others_[size_t(r)]->needs_nothing;
  });
}

void Roll::await(const Deadline& deadline, Milliseconds silence,
                 const std::function<bool(int)>& is_done) noexcept {
  await(deadline, silence, is_done, /*until_over=*/true);
}

void Roll::await(const Deadline& deadline, Milliseconds silence,
                 const std::function<bool(int)>& is_done, bool until_over) noexcept {
  const auto began = Deadline::Clock::now();
  auto knocked = began;
  for (;;) {
    std::unique_lock lock(mutex_);
    const uint64_t seen = heard_;
    lock.unlock();
    const std::vector<int> ranks = awaited(is_done);
    if (ranks.empty() || (until_over && is_over()) || deadline.passed()) return;
    if (give_up_silent(ranks, began, silence)) continue;
    if (const auto now = Deadline::Clock::now(); now - knocked >= kBetweenKnocks) {
      knocked = now;
      for (const int r : ranks) say(r, Word::knock, 0);
    }
    lock.lock();
    changed_.wait_until(lock, std::min(deadline.at(), knocked + kBetweenKnocks),
                        [&] { return (until_over && ended()) || heard_ != seen; });
  }
}

std::vector<int> Roll::awaited(const std::function<bool(int)>& is_done) const {
  std::vector<int> ranks;
  for (int r = 0; r < ranks_; ++r) {
    std::unique_lock lock(mutex_);
    const Other& other = *others_[size_t(r)];
    const bool stays =
        other.link.is_open() && !other.has_ended && !other.has_left && !other.is_silent;
    lock.unlock();
    if (stays && !is_done(r)) ranks.push_back(r);
  }
  return ranks;
}

bool Roll::give_up_silent(const std::vector<int>& ranks, Deadline::Clock::time_point since,
                          Milliseconds silence) {
  const auto now = Deadline::Clock::now();
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (const int r : ranks) {
    Other& other = *others_[size_t(r)];
    other.is_silent = now - std::max(other.heard, since) >= silence;
    any |= other.is_silent;
  }
  return any;
}

bool Roll::are_all_there() noexcept {
  const auto began = Deadline::Clock::now();
  for (int r = 0; r < ranks_; ++r) say(r, Word::knock, 0);
  await(
      Deadline::after(kLongestLeave), kSilence,
      [&](int r) {
        const std::lock_guard lock(mutex_);
        return others_[size_t(r)]->heard >= began;
      },
      /*until_over=*/false);
  const std::lock_guard lock(mutex_);
  return std::none_of(others_.begin(), others_.end(), [](const auto& other) {
    return other->is_silent || (other->has_ended && !other->has_left);
  });
}

std::map<int, std::string> Roll::lost() const {
  const std::lock_guard lock(mutex_);
  std::map<int, std::string> ranks;
  for (int r = 0; r < ranks_; ++r) {
    const Other& other = *others_[size_t(r)];
    if (other.has_ended && !other.has_left) ranks[r] = other.who;
  }
  return ranks;
}

bool Roll::has_left(int rank) const {
  const std::lock_guard lock(mutex_);
  return others_[size_t(rank)]->has_left;
}

bool Roll::have_all_left() const {
  const std::lock_guard lock(mutex_);
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_ && !others_[size_t(r)]->has_left) return false;
  }
  return true;
}

void Roll::say(int rank, Word word, uint64_t number) noexcept {
  others_[size_t(rank)]->link.say(word, number, {});
}

}  // namespace opweave::distributed::net
