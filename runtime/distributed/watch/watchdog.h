// Watchdog: a thread that looks at all groups of the process, ends what is overdue, and reports
// what fails; and a thread that watches that one. Neither asks Python, the store or a device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/distributed/watch/report.h"
#include "runtime/distributed/watch/settings.h"
#include "runtime/distributed/watch/watched.h"

namespace opweave::distributed {

class Watchdog {
 public:
  using Milliseconds = std::chrono::milliseconds;
  // Groups are looked at so often.
  static constexpr Milliseconds kTick{100};
  // Who reports a failure waits so long for it, and whoever ends the threads for those.
  static constexpr Milliseconds kPatience{500};
  // A collective is overdue so long after its timeout, which its backend sees to, too.
  static constexpr Milliseconds kGrace{500};

  // Lives as long as the process; its threads as long as there are groups.
  static Watchdog& of_process();
  explicit Watchdog(const WatchSettings& settings) : settings_(settings) {}

  void add(Watched& group);
  // It is not looked at when this returns.
  void remove(Watched& group) noexcept;

  // Has it said on stderr, once for each group, that it failed and why, the flight record written,
  // and the process ended if the policy says so; by the watchdog's thread, which is waited for, but
  // not for long: files and pipes may take no more. `site` is where the collective that failed was
  // called.
  void report(const Watched& group, const std::string& why, const std::string& site);
  // Writes the flight record, at the place that the settings name where no other is given. Returns
  // its path. RuntimeError where it cannot be written.
  std::string dump(const std::string& reason, const std::string& path = {});
  std::string to_json(const std::string& reason) const;
  // Writes it there, and says on stderr where it is, or why it is not.
  void dump_and_say(const std::string& reason) noexcept;
  // Grows with each look.
  uint64_t heartbeat() const { return heartbeat_.load(std::memory_order_relaxed); }
  // For dumps; that of the first group.
  int rank() const { return rank_.load(std::memory_order_relaxed); }

 private:
  // The two threads, from the first group to the last.
  struct Run {
    std::atomic<bool> stops{false};
    bool ended = false;  // under the mutex
    std::thread watch, monitor;
    // Of the monitor alone: whoever hangs may hold the other.
    std::mutex monitor_mutex;
    std::condition_variable monitor_wakes;
  };

  void start();
  void watch(Run& run);
  void monitor(Run& run);
  static void stop(Run& run);
  // False when the thread shall end; waits for nothing where there are failures to be told.
  bool pause(const Run& run);
  void look_at_all();
  void look_at(Watched& group) noexcept;
  [[noreturn]] void end_hanging_process();
  struct Failure {
    std::shared_ptr<const GroupName> group;
    std::string why, site;
  };
  // To be told, unless it has been. Under the mutex; returns whether it is.
  bool take_up(const Failure& failure);
  void tell(const Failure& failure);
  void tell_all();
  Report gather(const std::string& reason) const;
  // Calls `see` with each group, which stays until that returns; without the mutex, which a group
  // that hangs would hold.
  template <class See>
  void see_each(See see) const;
  bool is_seen(const Watched* group,
               bool by_watchdog) const;  // under the mutex, asked by its thread

  const WatchSettings& settings_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Watched*> groups_;
  // Seen to have failed; said so.
  std::set<std::shared_ptr<const GroupName>> failing_, reported_;
  std::vector<Failure> untold_;
  bool tells_ = false;
  mutable std::vector<const Watched*> seen_;  // now, by whichever threads
  std::shared_ptr<Run> run_;
  std::atomic<uint64_t> heartbeat_{0};
  std::atomic<int> rank_{0};
};

}  // namespace opweave::distributed
