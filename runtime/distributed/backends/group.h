// Group: a process group on backends that run on the host.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/distributed/backends/backend.h"
#include "runtime/distributed/backends/worker.h"
#include "runtime/distributed/group/process_group.h"
#include "runtime/distributed/watch/watchdog.h"

namespace opweave::distributed {

// A backend, and the type of the devices whose tensors it carries; none: of all that it takes.
struct Route {
  std::optional<DeviceType> device;
  std::shared_ptr<Backend> backend;
};

class Group final : public ProcessGroup, private Watched {
 public:
  // What has no tensors goes the first way.
  Group(const BackendContext& context, std::vector<Route> routes);
  ~Group() override;

  int rank() const override { return context_.rank; }
  int size() const override { return context_.size; }
  const std::string& name() const override { return context_.group; }
  WorkPtr start(Collective collective) override;
  // Of collectives that are called from now on and name none.
  void set_timeout(Milliseconds timeout) { timeout_.store(timeout); }
  void abort(const std::string& reason) override;
  void leave() override;

 private:
  // Collectives wait for one another; sends and receives for those of their kind alone.
  enum Lane { kTogether, kSending, kReceiving, kLanes };
  static Lane lane_of(CollectiveKind kind);
  struct Counts {
    Progress::Last called, begun, done;
  };
  // RuntimeError where it has none.
  Backend& backend_for(const Collective& collective) const;
  int run(QueuedWork& work);
  void note(Progress::Last& last, const Collective& collective);
  // Of an error of its backend: where and of which group it is. Reports it where the group is over.
  [[noreturn]] void fail(QueuedWork& work, const Backend& backend, const std::string& why);

  const std::shared_ptr<const GroupName>& group_name() const override { return name_; }
  std::string end_overdue(Work::Clock::time_point now) override;
  std::string failure() const override;
  std::vector<Progress> progress() const override;

  // A forked process has none of the threads, and a say in nothing.
  bool is_own() const;

  const BackendContext context_;
  std::atomic<Milliseconds> timeout_;
  const int process_;
  std::vector<Route> routes_;
  const std::shared_ptr<const GroupName> name_;
  FlightRecorder& recorder_;
  Watchdog& watchdog_;
  mutable std::mutex mutex_;
  std::array<Counts, kLanes> counts_;
  std::array<std::unique_ptr<Worker>, kLanes> workers_;
};

}  // namespace opweave::distributed
