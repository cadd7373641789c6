// Worker: a thread that carries out the collectives of a group, in the order in which they are
// called. Who waits anyway computes itself, if nothing is ahead.
#pragma once

#include <functional>
#include <memory>

#include "runtime/distributed/backends/groups/queued_work.h"

namespace opweave::distributed {

class Worker {
 public:
  struct Steps {
    // Carries one out, and says when it begins; throws what it fails with. Returns the rank that a
    // recv came from. Who gives up on it leaves it behind: it touches nothing of the group at its
    // end.
    std::function<int(QueuedWork&)> run;
    // What the work ends with: of what `run` threw, or of null.
    std::function<std::exception_ptr(QueuedWork&, std::exception_ptr)> settle;
  };
  explicit Worker(Steps steps);
  // As stop().
  ~Worker();

  // Returns when it is done. A callback of a work, in the worker's own thread, may call it too.
  // `here`: this thread may carry it out itself, as it will return by itself; from a backend that
  // hangs, a thread that only waits is freed by whoever ends the work.
  void run(const std::shared_ptr<QueuedWork>& work, bool here);
  // Returns at once.
  void queue(const std::shared_ptr<QueuedWork>& work);
  // Ends what waits, and whatever is queued from now on, with this.
  void fail_all(const std::string& why);
  // Waits for the collective that runs; those behind it fail. Whoever wants it soon aborts the
  // backend before. False if the backend has not returned a second after somebody else ended its
  // collective: its thread is left behind, and what `run` uses has to stay.
  bool stop();

  // What is carried out now; null for nothing.
  std::shared_ptr<QueuedWork> running() const;
  size_t waiting() const;

 private:
  struct State;
  // The thread keeps it: a callback may end the group, and with it the worker.
  std::shared_ptr<State> state_;
};

}  // namespace opweave::distributed
