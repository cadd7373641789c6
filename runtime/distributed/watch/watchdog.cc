// The thread that looks at groups, and the one that watches it.
#include "runtime/distributed/watch/watchdog.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/core/base/of_process.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/store/threads.h"
#include "runtime/distributed/watch/dump_signal.h"
#include "runtime/distributed/watch/flight_recorder.h"

namespace opweave::distributed {

Watchdog& Watchdog::of_process() {
  static OfProcess<Watchdog> watchdog;
  return watchdog.get([] { return new Watchdog(watch_settings()); });
}

void Watchdog::add(Watched& group) {
  if (settings_.dump_signal != 0) dump_on_signal(settings_.dump_signal);
  const std::lock_guard lock(mutex_);
  if (groups_.empty()) rank_ = group.group_name()->rank;
  if (run_ == nullptr) start();
  groups_.push_back(&group);
}

void Watchdog::start() {
  // Each keeps the run: who removes the last group may not be able to wait for it.
  const auto run = std::make_shared<Run>();
  if (settings_.monitors) run->monitor = begin_thread([this, run] { monitor(*run); });
  try {
    run->watch = begin_thread([this, run] { watch(*run); });
  } catch (...) {
    stop(*run);
    if (run->monitor.joinable()) run->monitor.detach();
    throw;
  }
  run_ = run;
}

void Watchdog::stop(Run& run) {
  {
    const std::lock_guard lock(run.monitor_mutex);
    run.stops.store(true);
  }
  run.monitor_wakes.notify_all();
}

void Watchdog::remove(Watched& group) noexcept {
  std::shared_ptr<Run> last;
  bool is_watchdog = false;  // what a look ended may have held the last group
  {
    std::unique_lock lock(mutex_);
    std::erase(groups_, &group);
    is_watchdog = run_ && run_->watch.get_id() == std::this_thread::get_id();
    changed_.wait(lock, [&] { return !is_seen(&group, is_watchdog); });
    reported_.erase(group.group_name());
    failing_.erase(group.group_name());
    if (groups_.empty() && run_) {
      last.swap(run_);
      stop(*last);
    }
  }
  if (last == nullptr) return;
  changed_.notify_all();
  bool ended = false;
  if (!is_watchdog) {
    // A file that takes nothing more may hold it up.
    std::unique_lock lock(mutex_);
    ended = changed_.wait_for(lock, 2 * kPatience, [&] { return last->ended; });
  }
  ended ? last->watch.join() : last->watch.detach();
  if (last->monitor.joinable()) last->monitor.join();
}

bool Watchdog::pause(const Run& run) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kTick, [&] { return run.stops.load() || !untold_.empty(); });
  return !run.stops.load();
}

void Watchdog::watch(Run& run) {
  do {
    heartbeat_.fetch_add(1, std::memory_order_relaxed);
    look_at_all();
    tell_all();
    if (take_asked_dump()) dump_and_say("a signal asked for it");
  } while (pause(run));
  tell_all();
  const std::lock_guard lock(mutex_);
  run.ended = true;
  changed_.notify_all();
}

// But for the look of the watchdog itself, which may end the group that it looks at.
bool Watchdog::is_seen(const Watched* group, bool by_watchdog) const {
  return std::count(seen_.begin(), seen_.end(), group) > (by_watchdog ? 1 : 0);
}

template <class See>
void Watchdog::see_each(See see) const {
  std::vector<const Watched*> done;
  std::unique_lock lock(mutex_);
  const auto next = [&]() -> Watched* {
    const auto is_new = [&](const Watched* g) {
      return std::find(done.begin(), done.end(), g) == done.end();
    };
    const auto found = std::find_if(groups_.begin(), groups_.end(), is_new);
    return found == groups_.end() ? nullptr : *found;
  };
  while (Watched* group = next()) {
    done.push_back(group);
    seen_.push_back(group);
    lock.unlock();
    std::exception_ptr error;
    try {
      see(*group);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    seen_.erase(std::find(seen_.begin(), seen_.end(), group));
    changed_.notify_all();
    if (error) std::rethrow_exception(error);
  }
}

void Watchdog::look_at_all() {
  see_each([this](Watched& group) { look_at(group); });
}

void Watchdog::look_at(Watched& group) noexcept try {
  std::string why = group.end_overdue(Work::Clock::now());
  const bool overdue = !why.empty();
  if (!overdue) why = group.failure();
  if (why.empty()) return;
  const std::lock_guard lock(mutex_);
  // A collective that runs hears of it, too, and knows more: it has until the next look.
  if (!overdue && failing_.insert(group.group_name()).second) return;
  take_up({group.group_name(), why, {}});
} catch (const std::exception& error) {
  say(str("the watchdog cannot look at the group '", group.group_name()->name,
          "': ", error.what()));
}

bool Watchdog::take_up(const Failure& failure) {
  if (!reported_.insert(failure.group).second) return false;
  untold_.push_back(failure);
  return true;
}

void Watchdog::report(const Watched& group, const std::string& why, const std::string& site) {
  std::unique_lock lock(mutex_);
  // One that has left has no failure left to tell.
  if (std::find(groups_.begin(), groups_.end(), &group) == groups_.end()) return;
  if (!take_up({group.group_name(), why, site})) return;
  changed_.notify_all();
  changed_.wait_for(lock, kPatience, [&] { return untold_.empty() && !tells_; });
}

// In the watchdog's thread, without the groups: they may go while a file is slow.
void Watchdog::tell_all() {
  std::unique_lock lock(mutex_);
  while (!untold_.empty()) {
    const Failure failure = std::move(untold_.back());
    untold_.pop_back();
    tells_ = true;
    lock.unlock();
    try {
      tell(failure);
    } catch (const std::exception& error) {  // no memory for its line
      say(error.what());
    }
    lock.lock();
    tells_ = false;
    changed_.notify_all();
  }
}

void Watchdog::tell(const Failure& failure) {
  const GroupName& name = *failure.group;
  std::string line = str("rank ", name.rank, " of the group '", name.name, "': ", failure.why);
  if (!failure.site.empty()) line += str("; called at ", failure.site);
  if (!name.environment.empty()) line += str("; with ", describe(name.environment));
  if (settings_.dump_on_failure) {
    try {
      line += str("; the flight record is in ", dump(failure.why));
    } catch (const std::exception& error) {
      line += str("; ", error.what());
    }
  }
  say(line);
  if (settings_.policy != FailurePolicy::abort) return;
  say("the process ends, as TORCH_NCCL_ASYNC_ERROR_HANDLING says");
  std::abort();
}

Report Watchdog::gather(const std::string& reason) const {
  Report report{
      .rank = rank(), .reason = reason, .heartbeat = heartbeat(), .groups = {}, .records = {}};
  see_each([&](const Watched& group) {
    report.groups.push_back(
        {group.group_name(), group.failure(), group.progress(), group.staged()});
  });
  report.records = FlightRecorder::of_process().records();
  return report;
}

std::string Watchdog::to_json(const std::string& reason) const {
  return distributed::to_json(gather(reason));
}

std::string Watchdog::dump(const std::string& reason, const std::string& path) {
  const std::string where = path.empty() ? str(settings_.dump_prefix, rank()) : path;
  write_report(where, to_json(reason));
  return where;
}

void Watchdog::dump_and_say(const std::string& reason) noexcept try {
  say(str("the flight record is in ", dump(reason)));
} catch (const std::exception& error) {
  say(error.what());
}

// Its looks count, and not the time: a process that was stopped for longer than the limit goes on
// with either thread first.
void Watchdog::monitor(Run& run) {
  const auto limit = settings_.heartbeat_timeout;
  const auto between =
      std::max(std::min<Milliseconds>(limit / 4, Milliseconds(1000)), Milliseconds(1));
  const int64_t most = limit / between;
  uint64_t last = heartbeat();
  int64_t alike = 0;
  std::unique_lock lock(run.monitor_mutex);
  const auto stops = [&] { return run.stops.load(); };
  while (!run.monitor_wakes.wait_for(lock, between, stops)) {
    const uint64_t now = heartbeat();
    alike = now == last ? alike + 1 : 0;
    last = now;
    if (alike > most) end_hanging_process();
  }
}

// What hangs may hold what a report needs: that gets a thread of its own, and a while.
void Watchdog::end_hanging_process() {
  say(str("rank ", rank(), ": the watchdog of its groups has not moved for ",
          settings_.heartbeat_timeout.count(),
          "ms (TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC); the process ends"));
  std::atomic<bool> done{false};
  std::thread([&] {
    dump_and_say("the watchdog hangs");
    done.store(true);
  }).detach();
  const auto end = Work::Clock::now() + Milliseconds(5000);
  while (!done.load() && Work::Clock::now() < end) std::this_thread::sleep_for(Milliseconds(10));
  std::abort();
}

}  // namespace opweave::distributed
