// Worker: a thread that carries out the collectives of a group, in the order in which they are
// called. Who waits anyway computes itself, if nothing is ahead.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/distributed/backends/queued_work.h"

namespace opweave::distributed {

class Worker {
 public:
  // `run` carries one out; throws what it fails with. Returns the rank that a recv came from.
  using Run = std::function<int(const Collective&)>;
  explicit Worker(Run run) : run_(std::move(run)) {}
  // Waits for the collective that runs; those behind it fail. Whoever wants it soon aborts the
  // backend before.
  ~Worker();

  // Without `async`: returns when it is done.
  void start(const std::shared_ptr<QueuedWork>& work);

 private:
  void loop();
  void carry_out(QueuedWork& work);
  bool take_turn();  // whether nothing runs, or is ahead

  Run run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<QueuedWork>> queue_;
  bool running_ = false, stopping_ = false;
  std::thread thread_;  // begins with the first collective that nobody waits for
};

}  // namespace opweave::distributed
