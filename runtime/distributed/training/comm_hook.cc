// The hook that there is without one.
#include "runtime/distributed/training/comm_hook.h"

#include "opweave/ops/mul.h"
#include "runtime/core/thread_state.h"

namespace opweave::distributed {
namespace {

class AllReduce final : public Reduction {
 public:
  AllReduce(WorkPtr work, Tensor buffer) : work_(std::move(work)), buffer_(std::move(buffer)) {}
  Tensor wait() override {
    work_->wait();
    return buffer_;
  }
  Clock::time_point ended() const override { return work_->times().ended; }

 private:
  const WorkPtr work_;
  const Tensor buffer_;
};

class AverageHook final : public CommHook {
 public:
  explicit AverageHook(ProcessGroupPtr group) : group_(std::move(group)) {}

  // Divided before it is summed up, so that sums of small floats stay finite.
  std::unique_ptr<Reduction> start(GradBucket bucket) override {
    const NoGradGuard no_grad;
    Tensor buffer = bucket.buffer;
    if (group_->size() > 1) ops::mul__Scalar::call(buffer, Scalar(1.0 / group_->size()));
    return std::make_unique<AllReduce>(group_->start({.kind = CollectiveKind::kAllReduce,
                                                      .inputs = {buffer},
                                                      .outputs = {buffer},
                                                      .async = true}),
                                       buffer);
  }

 private:
  const ProcessGroupPtr group_;
};

}  // namespace

std::unique_ptr<CommHook> average_hook(ProcessGroupPtr group) {
  return std::make_unique<AverageHook>(std::move(group));
}

}  // namespace opweave::distributed
