// QueuedWork: a work that a thread of its group sees to.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "runtime/distributed/backends/groups/staging.h"
#include "runtime/distributed/group/collective.h"
#include "runtime/distributed/group/work.h"
#include "runtime/distributed/store/waiting.h"
#include "runtime/distributed/watch/flight_recorder.h"

namespace opweave::distributed {

class QueuedWork : public Work {
 public:
  // `record` is its number in the recorder, or 0.
  QueuedWork(Collective collective, FlightRecorder& recorder, uint64_t record)
      : collective_(std::move(collective)), recorder_(recorder), record_(record) {
    times_.queued = Clock::now();
  }
  const Collective& collective() const { return collective_; }
  CallSite site() const { return recorder_.site_of(record_); }
  // When whoever sees to it should have given up; never for what nobody has taken up.
  Deadline deadline() const;

  void wait(std::optional<Milliseconds> timeout = {}) override;
  bool is_completed() const override;
  void when_done(std::function<void()> callback) override;
  std::exception_ptr exception() const override;
  std::vector<Tensor> result() const override { return collective_.outputs; }
  int source_rank() const override;
  uint64_t sequence() const override { return collective_.sequence; }
  Times times() const override;

  // --- for those who carry it out ----------------------------------------------------------------
  // Once, before anybody else has it: its tensors go through the host.
  void set_staging(std::unique_ptr<Staging> staging) { staging_ = std::move(staging); }
  Staging* staging() const { return staging_.get(); }
  // Somebody sees to it from now on.
  void take_up();
  // It begins, where it is carried out.
  void begin();
  void succeed(int source);
  void fail(std::exception_ptr error);
  // The same, and returns what is to be called; nothing where it has ended before.
  using Callbacks = std::vector<std::function<void()>>;
  [[nodiscard]] Callbacks end(std::exception_ptr error, int source);
  // For reports that are made before it has ended.
  void note_failure(std::string_view error) noexcept { recorder_.end(record_, error); }
  // The same as fail() from a thread that must wait for nobody: callbacks get one of their own.
  void fail_elsewhere(std::exception_ptr error);

 private:
  const Collective collective_;
  FlightRecorder& recorder_;
  const uint64_t record_;
  std::unique_ptr<Staging> staging_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool completed_ = false;
  Callbacks callbacks_;
  std::exception_ptr error_;
  int source_ = -1;
  Times times_;
  Clock::time_point taken_up_{};
};

}  // namespace opweave::distributed
