// QueuedWork: the work of backends that run on the host.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "runtime/distributed/group/collective.h"
#include "runtime/distributed/group/work.h"

namespace opweave::distributed {

class QueuedWork final : public Work {
 public:
  explicit QueuedWork(Collective collective) : collective_(std::move(collective)) {
    times_.queued = Clock::now();
  }
  const Collective& collective() const { return collective_; }

  void wait(std::optional<Milliseconds> timeout = {}) override;
  bool is_completed() const override;
  void when_done(std::function<void()> callback) override;
  std::exception_ptr exception() const override;
  std::vector<Tensor> result() const override { return collective_.outputs; }
  int source_rank() const override;
  uint64_t sequence() const override { return collective_.sequence; }
  Times times() const override;

  // --- for those who carry it out ----------------------------------------------------------------
  void begin();
  void succeed(int source);
  void fail(std::exception_ptr error);

 private:
  void end(std::exception_ptr error, int source);

  const Collective collective_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool completed_ = false;
  std::vector<std::function<void()>> callbacks_;
  std::exception_ptr error_;
  int source_ = -1;
  Times times_;
};

}  // namespace opweave::distributed
