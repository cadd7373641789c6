// Scheduler: carries out the collectives of a group by their priority, large ones in parts, and in
// the same order on all ranks, as the agenda decides.
//
// It has a group of its own, whose collectives are the rounds: a word of all ranks, and then parts.
// These are plain collectives of that group, which nobody else calls: errors, timeouts and ends of
// ranks are found there as those of any others, and none of its ranks can be in another round. What
// fails ends the group, and all that is pending fails with it.
//
// One part runs at a time, because all collectives of a group have all of its ranks, and their
// links, in common. Groups of disjoint ranks have schedulers of their own, which know nothing of
// one another and need not. Of two that share ranks each takes its share of the links, as their
// collectives do without: were one to wait for the other, three could wait in a ring.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/distributed/backends/groups/group.h"
#include "runtime/distributed/backends/groups/queued_work.h"
#include "runtime/distributed/schedule/agenda.h"
#include "runtime/distributed/watch/call_site.h"

namespace opweave::distributed {

struct SchedulerStatistics {
  uint64_t collectives = 0;  // that were called
  uint64_t rounds = 0, parts = 0;
  uint64_t overtakings = 0;  // parts that went ahead of what was called before them
  int64_t order = 0;         // a hash of all parts in their order
  double agreeing = 0;       // seconds of the words
};

class Scheduler {
 public:
  // A group that nobody else calls, the same size of rounds on all ranks. RuntimeError where the
  // group's backend is not one of Opweave's.
  Scheduler(ProcessGroupPtr group, size_t round_nbytes);
  // What is pending fails.
  ~Scheduler();

  // In the same order on all ranks, with the same priority: the higher, the sooner. Returns at
  // once. Until its work is done, its tensors are in no other collective. RuntimeError, ValueError
  // for what cannot be.
  WorkPtr start(Collective collective, int priority);
  SchedulerStatistics statistics() const;
  // What is pending, and whatever is called later, fails on all ranks.
  void abort(const std::string& reason);

 private:
  struct Pending {
    std::shared_ptr<QueuedWork> work;
    CallSite site;
  };
  using Parts = std::vector<Agenda::Part>;

  Agenda::Item item_of(const Collective& collective, int priority) const;
  void loop();
  Parts agree();
  void carry_out(const Parts& parts);
  WorkPtr start_part(const Agenda::Part& part, bool alone);
  void finish(const Agenda::Part& part);
  // All that is pending, and what comes later.
  void end(const std::string& why) noexcept;
  const Pending& pending(uint64_t number) const;
  bool is_own() const;

  const ProcessGroupPtr group_;
  const Group& native_;
  const int process_;
  mutable std::mutex mutex_;  // of all below
  std::unique_ptr<std::condition_variable> changed_ = std::make_unique<std::condition_variable>();
  Agenda agenda_;
  std::map<uint64_t, Pending> pending_;  // by number
  SchedulerStatistics statistics_;
  std::string over_;  // why; empty while it goes on
  bool stopping_ = false, runs_ = false;
  std::thread thread_;
};

}  // namespace opweave::distributed
