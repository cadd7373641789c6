// A barrier that names who is missing.
#include "runtime/distributed/backends/shm/meeting.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {

Meeting::Meeting(Layout layout, int rank, int ranks)
    : layout_(layout), rank_(rank), ranks_(ranks), patience_(patience_among(ranks)) {}

void Meeting::come(const Deadline& deadline, const Collective& call) {
  Control& control = layout_.control();
  const uint32_t meeting = ++come_;
  layout_.rank(rank_).arrived.store(meeting, std::memory_order_release);
  if (control.arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<uint32_t>(ranks_)) {
    control.arrivals.store(0, std::memory_order_relaxed);
    control.meeting.store(meeting, std::memory_order_release);
    tell();
  }
  while (true) {
    const uint32_t seen = control.changes.load(std::memory_order_acquire);
    if (control.meeting.load(std::memory_order_acquire) == meeting) break;
    // In this order: who left because the group was ended had seen that, or done it, before.
    const std::vector<int> left = missing(meeting, true);
    check(call);
    if (!left.empty()) give_up(call, name_ranks(left) + " left the group");
    if (deadline.passed()) give_up(call, not_in_time(missing(meeting, false), ranks_));
    wait_for_change(control.changes, seen, deadline, patience_);
    check_signals(call);
  }
}

// Who is interrupted has come already, and would be one meeting ahead of the others for ever.
void Meeting::check_signals(const Collective& call) {
  try {
    check_interrupts();
  } catch (...) {
    abort(describe_call(call) + ": it was interrupted");
    throw;
  }
}

void Meeting::tell() noexcept {
  Control& control = layout_.control();
  control.changes.fetch_add(1, std::memory_order_acq_rel);
  wake_all(control.changes);
}

void Meeting::check(const Collective& call) const {
  if (gone_.load(std::memory_order_acquire))
    throw DistBackendError(describe_call(call) + ": its process group was destroyed");
  const Control& control = layout_.control();
  const uint32_t by = control.aborted.load(std::memory_order_acquire);
  if (by == 0) return;
  throw DistBackendError(
      str(describe_call(call), ": rank ", by - 1, " ended the group: ", control.reason));
}

std::string Meeting::failure() const {
  const Control& control = layout_.control();
  if (control.aborted.load(std::memory_order_acquire) == 0) return {};
  return control.reason;
}

std::vector<int> Meeting::missing(uint32_t meeting, bool only_left) const {
  std::vector<int> ranks;
  for (int r = 0; r < ranks_; ++r) {
    const RankBlock& rank = layout_.rank(r);
    // In this order: who has left came to whatever it came to before.
    const bool left = rank.left.load(std::memory_order_acquire) != 0;
    const uint32_t ahead = rank.arrived.load(std::memory_order_acquire) - meeting;
    if (ahead > 1 && (left || !only_left)) ranks.push_back(r);
  }
  return ranks;
}

void Meeting::give_up(const Collective& call, const std::string& why) {
  abort(describe_call(call) + ": " + why);
  throw DistBackendError(describe_call(call) + ": " + why);
}

void Meeting::abort(const std::string& reason) noexcept {
  Control& control = layout_.control();
  if (control.aborting.exchange(1) == 0) {
    const size_t n = std::min(reason.size(), Control::kReason - 1);
    std::memcpy(control.reason, reason.data(), n);
    control.reason[n] = 0;
    control.aborted.store(static_cast<uint32_t>(rank_) + 1, std::memory_order_release);
  } else {  // before this rank leaves and is blamed for it; the other may have been stopped
    for (int i = 0; i < 1000 && control.aborted.load() == 0; ++i) sched_yield();
  }
  tell();
  tell_letters();
}

// Whoever waits for mail, or for room for it.
void Meeting::tell_letters() noexcept {
  for (int r = 0; r < ranks_; ++r) {
    for (auto* word : {&layout_.rank(r).mail, &layout_.rank(r).room}) {
      word->fetch_add(1, std::memory_order_acq_rel);
      wake_all(*word);
    }
  }
}

void Meeting::leave() noexcept {
  gone_.store(true, std::memory_order_release);
  layout_.rank(rank_).left.store(1, std::memory_order_release);
  tell();
  tell_letters();
}

}  // namespace opweave::distributed::shm
