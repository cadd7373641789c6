// What hooks see, and the hook that there is without one.
#include "runtime/distributed/training/comm_hook.h"

#include "opweave/ops/as_strided.h"
#include "opweave/ops/mul.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave::distributed {
namespace {

// The collective has a timeout of its own.
constexpr Work::Milliseconds kLongEnough{24 * 3'600'000};

class AllReduce final : public Reduction {
 public:
  AllReduce(WorkPtr work, Tensor buffer) : work_(std::move(work)), buffer_(std::move(buffer)) {}
  // On a device the host waits, too: nothing of a collective that fails may become a gradient.
  Tensor wait() override {
    const bool on_host = is_host(buffer_.device());
    work_->wait(on_host ? std::nullopt : std::optional(kLongEnough));
    return buffer_;
  }
  Clock::time_point ended() const override { return work_->times().ended; }

 private:
  const WorkPtr work_;
  const Tensor buffer_;
};

class AverageHook final : public CommHook {
 public:
  // Divided before it is summed up, so that sums of small floats stay finite.
  std::unique_ptr<Reduction> start(GradBucket bucket) override {
    const NoGradGuard no_grad;
    Tensor buffer = bucket.buffer;
    if (bucket.divisor > 1) ops::mul__Scalar::call(buffer, Scalar(1.0 / bucket.divisor));
    return std::make_unique<AllReduce>(bucket.group->start({.kind = CollectiveKind::kAllReduce,
                                                            .inputs = {buffer},
                                                            .outputs = {buffer},
                                                            .async = true}),
                                       buffer);
  }
};

}  // namespace

std::unique_ptr<CommHook> average_hook() { return std::make_unique<AverageHook>(); }

std::vector<Tensor> GradBucket::gradients() const {
  const NoGradGuard no_grad;
  std::vector<Tensor> parts;
  int64_t begin = buffer.storage_offset();
  for (const Tensor& p : parameters) {
    parts.push_back(ops::as_strided::call(buffer, p.sizes(), contiguous_strides(p.sizes()), begin));
    begin += p.numel();
  }
  return parts;
}

}  // namespace opweave::distributed
