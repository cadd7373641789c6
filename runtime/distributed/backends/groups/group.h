// Group: a process group, and the way of a collective through it: on the host, on a device, or from
// a device to the host and back.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/distributed/backends/device_backend.h"
#include "runtime/distributed/backends/groups/device_work.h"
#include "runtime/distributed/backends/groups/worker.h"
#include "runtime/distributed/group/process_group.h"
#include "runtime/distributed/watch/watchdog.h"

namespace opweave::distributed {

// The context of one of a group's backends: it speaks under keys of its own.
BackendContext context_of(const BackendContext& group, std::string_view backend);

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
  void begin_batch() override;
  void end_batch() override;
  void abort(const std::string& reason) override;
  // Ends its threads and connections as well: who still holds the group holds nothing else. What is
  // called from then on is refused.
  void leave() override;
  // A part of this group, of ranks that name the same color; null for a negative one. Backends that
  // cannot be split are made anew. A call of every rank of this group.
  std::unique_ptr<Group> split(const BackendContext& part, int color);
  // What otherwise the first collective of a device does; a call of every rank.
  void connect(Device device);
  // Where tensors are that it takes as they are: the host, if any of its backends does.
  Device speaks_on() const;
  // The backend of tensors on the host, which may know several ways.
  std::shared_ptr<Backend> on_host() const;
  // The ranks that are known to have ended, and what their processes are.
  std::map<int, std::string> lost() const;
  // The same group, whose ranks are in this one too: what they wait for while they meet ends where
  // one of them is known here to have ended.
  BackendContext watched(const BackendContext& part) const;
  // Where a collective of one tensor may be cut; see Backend. 0 of what is not on the host.
  int64_t grain(const Collective& collective) const;
  // What went to the host and back, because no backend took it where it was.
  Staged staged() const override;

 private:
  // Collectives wait for one another; sends and receives for those of their kind alone.
  enum Queue { kTogether, kSending, kReceiving, kQueues };
  static Queue queue_of(CollectiveKind kind);
  struct Counts {
    Progress::Last called, begun, done;
  };
  // How a collective is carried out.
  struct Way {
    std::shared_ptr<Backend> backend;
    DeviceBackend* on_device = nullptr;  // the same, where it is one
    bool is_staged = false;              // through the host
  };
  // RuntimeError where there is none.
  Way way_of(const Collective& collective) const;
  using Routes = std::vector<Route>;
  // None once the group has been left.
  std::shared_ptr<const Routes> routes_or_none() const;
  // DistBackendError once it has.
  std::shared_ptr<const Routes> routes() const;
  // That of tensors on the host; null where none takes them as they are.
  static std::shared_ptr<Backend> takes_host(const Routes& routes);
  // Calls `see` with each backend there is.
  template <class See>
  void see_backends(See see) const;
  void end();
  // Counts it, and makes what it becomes.
  template <class MakeWork>
  auto enter(Collective collective, const CallSite& site, MakeWork make);
  WorkPtr start_on_host(Collective collective, const CallSite& site, const Way& way);
  WorkPtr start_on_device(Collective collective, const CallSite& site, const Way& way);
  std::shared_ptr<DeviceWork> enter_device(Collective collective, const CallSite& site);
  using DeviceWorks = std::vector<std::shared_ptr<DeviceWork>>;
  void launch(const DeviceWorks& works, DeviceBackend& backend);
  int run(QueuedWork& work);
  // Counts what has ended, and names what it failed with.
  std::exception_ptr settle(QueuedWork& work, const std::exception_ptr& error);
  int run_by(const Way& way, QueuedWork& work, const Deadline& deadline);
  int run_staged(Backend& backend, QueuedWork& work, const Deadline& deadline);
  void note(Progress::Last& last, const Collective& collective);
  // An error of its backend says where and of which group it is, and is reported where the group is
  // over.
  std::exception_ptr named(QueuedWork& work, const std::exception_ptr& error);

  const std::shared_ptr<const GroupName>& group_name() const override { return name_; }
  std::string end_overdue(Work::Clock::time_point now) override;
  std::string failure() const override;
  std::vector<Progress> progress() const override;

  // While it lives, a work is launched by this thread.
  class Launching {
   public:
    Launching(Group& group, const std::shared_ptr<DeviceWork>& work);
    ~Launching();
    Launching(const Launching&) = delete;

   private:
    Group& group_;
  };
  void abort_elsewhere(const std::string& why) const;
  // Those that somebody carries out or launches.
  std::vector<std::shared_ptr<QueuedWork>> works_at_hand() const;

  // What this thread has started of a batch; null outside of one.
  struct Batch {
    Group* group;
    Way way = {};
    DeviceWorks works = {};
  };
  Batch* own_batch() const;
  static thread_local std::unique_ptr<Batch> batch_;

  // A forked process has none of the threads, and a say in nothing.
  bool is_own() const;

  const BackendContext context_;
  std::atomic<Milliseconds> timeout_;
  std::atomic<bool> leaving_{false};  // what ends now has not failed
  const int process_;
  const std::shared_ptr<const GroupName> name_;
  FlightRecorder& recorder_;
  Watchdog& watchdog_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Routes> routes_;
  std::array<Counts, kQueues> counts_;
  Staged staged_;
  std::shared_ptr<DeviceWork> launched_now_;
  std::mutex launching_;  // what is counted first is launched first
  std::array<std::unique_ptr<Worker>, kQueues> workers_;
};

}  // namespace opweave::distributed
