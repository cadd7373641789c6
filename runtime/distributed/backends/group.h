// Group: a process group on backends that run on the host.
#pragma once

#include <array>
#include <mutex>

#include "runtime/distributed/backends/backend.h"
#include "runtime/distributed/backends/worker.h"
#include "runtime/distributed/group/process_group.h"

namespace opweave::distributed {

class Group final : public ProcessGroup {
 public:
  Group(const BackendContext& context, std::shared_ptr<Backend> backend);
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
  int run(const Collective& collective);

  // A forked process has none of the threads, and a say in nothing.
  bool is_own() const;

  const BackendContext context_;
  const int process_;
  std::shared_ptr<Backend> backend_;
  std::mutex mutex_;
  std::array<uint64_t, kLanes> called_{};
  std::array<std::unique_ptr<Worker>, kLanes> workers_;
};

}  // namespace opweave::distributed
