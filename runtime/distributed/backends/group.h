// Group: a process group on backends that run on the host.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/distributed/backends/backend.h"
#include "runtime/distributed/backends/worker.h"
#include "runtime/distributed/group/process_group.h"

namespace opweave::distributed {

// A backend, and the type of the devices whose tensors it carries; none: of all that it takes.
struct Route {
  std::optional<DeviceType> device;
  std::shared_ptr<Backend> backend;
};

class Group final : public ProcessGroup {
 public:
  // What has no tensors goes the first way.
  Group(const BackendContext& context, std::vector<Route> routes);
  ~Group() override;

  int rank() const override { return context_.rank; }
  int size() const override { return context_.size; }
  const std::string& name() const override { return context_.group; }
  WorkPtr start(Collective collective) override;
  void abort(const std::string& reason) override;
  void leave() override;

 private:
  // Collectives wait for one another; sends and receives for those of their kind alone.
  enum Lane { kTogether, kSending, kReceiving, kLanes };
  static Lane lane_of(CollectiveKind kind);
  // RuntimeError where it has none.
  Backend& backend_for(const Collective& collective) const;
  int run(const Collective& collective);

  // A forked process has none of the threads, and a say in nothing.
  bool is_own() const;

  const BackendContext context_;
  const int process_;
  std::vector<Route> routes_;
  std::mutex mutex_;
  std::array<uint64_t, kLanes> called_{};
  std::array<std::unique_ptr<Worker>, kLanes> workers_;
};

}  // namespace opweave::distributed
