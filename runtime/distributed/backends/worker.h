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
  // `run` carries one out, and says when it begins; throws what it fails with. Returns the rank
  // that a recv came from.
  using Run = std::function<int(QueuedWork&)>;
  explicit Worker(Run run) : run_(std::move(run)) {}
  // Waits for the collective that runs; those behind it fail. Whoever wants it soon aborts the
  // backend before.
  ~Worker();

  // Returns when it is done.
  void run(const std::shared_ptr<QueuedWork>& work);
  // Returns at once.
  void queue(const std::shared_ptr<QueuedWork>& work);

  // What is carried out now; null for nothing.
  std::shared_ptr<QueuedWork> running() const;
  size_t waiting() const;

 private:
  void loop();
  void carry_out(QueuedWork& work);
  bool take_turn(const std::shared_ptr<QueuedWork>& work);  // unless something runs, or is ahead

  Run run_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<QueuedWork>> queue_;
  std::shared_ptr<QueuedWork> running_;
  bool stopping_ = false;
  std::thread thread_;  // begins with the first collective that nobody waits for
};

}  // namespace opweave::distributed
