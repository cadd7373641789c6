// Buckets that are full: their collectives, in the order that all ranks have, and what comes back.
#include <algorithm>
#include <utility>

#include "opweave/ops/add.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/training/memory.h"
#include "runtime/distributed/training/reducer.h"

namespace opweave::distributed {
namespace {

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// Of a bucket that stays what it is.
class Unreduced final : public Reduction {
 public:
  explicit Unreduced(Tensor buffer) : buffer_(std::move(buffer)) {}
  Tensor wait() override { return buffer_; }
  Clock::time_point ended() const override { return ended_; }

 private:
  const Tensor buffer_;
  const Clock::time_point ended_ = Clock::now();
};

}  // namespace

std::string Reducer::names_of(const Bucket& bucket) const {
  constexpr size_t kMost = 4;
  std::string names;
  const size_t count = bucket.parameters.size();
  for (size_t i = 0; i < std::min(count, kMost); ++i)
    names += str(i == 0 ? "" : ", ", names_[bucket.parameters[i]]);
  return count > kMost ? str(names, " and ", count - kMost, " more") : names;
}

// What a group fails with says which gradients it has failed with.
template <class Call>
auto Reducer::naming(size_t bucket, Call call) const {
  try {
    return call();
  } catch (const DistBackendError& error) {
    throw DistBackendError(str(error.message(), "; the gradients of ",
                               names_of(buckets_[bucket].bucket), " were not reduced"));
  }
}

void Reducer::launch_ready() {
  const std::lock_guard order(launching_);
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (next_ == buckets_.size() || buckets_[next_].pending > 0) return;
    }
    if (launch_next()) queue_backward_callback([self = shared_from_this()] { self->finish(); });
  }
}

bool Reducer::is_skipped(const Bucket& bucket) const {
  return options_.skips_unused && std::none_of(bucket.parameters.begin(), bucket.parameters.end(),
                                               [&](size_t p) { return used_[p]; });
}

bool Reducer::launch_next() {
  GradBucket bucket;
  bool skipped = false;
  if (asks_first()) ask_first();
  {
    const std::lock_guard lock(mutex_);
    skipped = is_skipped(buckets_[next_].bucket);
    hide_unused(next_);
    bucket = shown(next_++);
    note_call_site(site_);
  }
  const size_t index = bucket.index;
  const bool is_last = bucket.is_last;
  std::unique_ptr<Reduction> reduction;
  if (skipped)
    reduction = std::make_unique<Unreduced>(bucket.buffer);
  else
    reduction = naming(index, [&] { return hook_->start(std::move(bucket)); });
  const std::lock_guard lock(mutex_);
  buckets_[index].reduction = std::move(reduction);
  return is_last;
}

GradBucket Reducer::shown(size_t index) const {
  const Bucket& bucket = buckets_[index].bucket;
  GradBucket shown{.index = index,
                   .is_last = index + 1 == buckets_.size(),
                   .divisor = divisor_,
                   .buffer = bucket.flat,
                   .used = used_in(bucket),
                   .group = group_};
  for (const size_t p : bucket.parameters) shown.parameters.push_back(parameters_[p]);
  return shown;
}

void Reducer::in_group(Tensor& host, Collective collective) {
  const Device device = parameters_[0].device();
  Tensor sent = host;
  if (!is_host(device)) {
    sent = make_tensor(host.sizes(), host.dtype(), device);
    ops::copy_::call(sent, host, false);
  }
  collective.inputs = collective.outputs = {sent};
  note_call_site(site_);
  group_->start(std::move(collective))->wait();
  if (!is_host(device)) ops::copy_::call(host, sent, false);
}

std::vector<bool> Reducer::used_anywhere() {
  if (!options_.finds_unused && !options_.is_static)
    return std::vector<bool>(parameters_.size(), true);
  if (options_.skips_unused) return used_;
  return asks_first() ? agreed_ : agreed(used_);
}

bool Reducer::asks_first() const {
  return has_own_hook_ && !options_.skips_unused && (options_.finds_unused || options_.is_static);
}

void Reducer::ask_first() {
  std::vector<bool> used;
  {
    const std::lock_guard lock(mutex_);
    if (next_ > 0) return;
    used = options_.is_static ? used_ : expected_used_;
  }
  std::vector<bool> all = agreed(used);
  const std::lock_guard lock(mutex_);
  agreed_ = std::move(all);
}

std::vector<bool> Reducer::agreed(const std::vector<bool>& mine) {
  if (!used_always_.empty()) return used_always_;
  Tensor used = make_tensor({static_cast<int64_t>(mine.size())}, kByte, host_device());
  auto* flags = static_cast<uint8_t*>(used.raw_data());
  std::copy(mine.begin(), mine.end(), flags);
  naming(0, [&] { in_group(used, {.kind = CollectiveKind::kAllReduce, .op = ReduceOp::kMax}); });
  std::vector<bool> anywhere(flags, flags + mine.size());
  if (options_.is_static) used_always_ = anywhere;
  return anywhere;
}

void Reducer::finish() try { reduce_all(); } catch (const std::exception& error) {
  abort(str(" could not reduce its gradients: ", error.what()));
  throw;
} catch (...) {
  abort(" could not reduce its gradients");
  throw;
}

Tensor Reducer::result_of(size_t index) const {
  const State& state = buckets_[index];
  Tensor result = naming(index, [&] { return state.reduction->wait(); });
  OW_CHECK(result.defined() && result.numel() == state.bucket.elements,
           "communication hook: expected a tensor of ", state.bucket.elements,
           " elements for the bucket ", index, ", got ",
           result.defined() ? str("one of the sizes ", result.sizes()) : "none");
  return result;
}

void Reducer::take_result(size_t index, const std::vector<bool>& used) {
  Bucket& bucket = buckets_[index].bucket;
  const Tensor result = result_of(index);
  if (!is_same_memory(result, bucket.flat))
    ops::copy_::call(bucket.flat, ops::reshape::call(result, {bucket.elements}), false);
  write_back(bucket, used);
  if (options_.is_lazy) bucket.release();
}

// Nobody else is here: all gradients have come.
void Reducer::reduce_all() {
  const std::vector<bool> used = used_anywhere();
  const NoGradGuard no_grad;
  for (size_t i = 0; i < buckets_.size(); ++i) take_result(i, used);
  ReducerStatistics found = times();
  {
    const std::lock_guard lock(mutex_);
    statistics_ = std::move(found);
    std::fill(used_.begin(), used_.end(), false);
    expects_ = false;
    changes_ = changes_ || (!came_before_.empty() && came_before_ != came_);
    came_before_ = came_;
    // A future may keep what the program has made it of.
    for (State& state : buckets_) state.reduction.reset();
  }
  take_order();
}

void Reducer::shadow_pass() {
  const NoGradGuard no_grad;
  {
    const std::lock_guard lock(mutex_);
    site_ = take_call_site();
    next_ = 0;
    expected_used_ = used_;
    for (State& state : buckets_) {
      state.bucket.allocate(parameters_);
      ops::zero_::call(state.bucket.flat);
    }
  }
  const std::lock_guard order(launching_);
  while (!launch_next()) {
  }
  const std::vector<bool> used = used_anywhere();
  for (size_t i = 0; i < buckets_.size(); ++i) take_result(i, used);
  if (arrived_.empty()) {  // of a rank that never had data
    for (const State& state : buckets_)
      arrived_.insert(arrived_.end(), state.bucket.parameters.begin(),
                      state.bucket.parameters.end());
  }
  take_order();
  arrived_.clear();
}

// All ranks are in the same pass here. Those that use different parameters have no order in common,
// unless all passes are as the first one: then those that rank 0 does not use come last.
void Reducer::take_order() {
  if (is_rebuilt_ || (options_.finds_unused && !options_.is_static)) return;
  std::vector<bool> has_come(parameters_.size());
  for (const size_t p : arrived_) has_come[p] = true;
  for (const size_t p : first_order(parameters_.size())) {
    if (!has_come[p]) arrived_.push_back(p);
  }
  Tensor order = make_tensor({static_cast<int64_t>(arrived_.size())}, kLong, host_device());
  auto* places = static_cast<int64_t*>(order.raw_data());
  std::copy(arrived_.begin(), arrived_.end(), places);
  in_group(order, {.kind = CollectiveKind::kBroadcast});
  const std::lock_guard lock(mutex_);
  make_buckets(std::vector<size_t>(places, places + arrived_.size()));
  is_rebuilt_ = true;
}

ReducerStatistics Reducer::times() const {
  ReducerStatistics found;
  found.began = std::chrono::duration<double>(began_at_.time_since_epoch()).count();
  double all = 0, within = 0;
  for (const State& state : buckets_) {
    BucketTimes times{.nbytes = state.bucket.nbytes,
                      .ready = seconds(state.ready - began_),
                      .reduced = seconds(state.reduction->ended() - began_)};
    for (const size_t p : state.bucket.parameters) times.parameters.push_back(names_[p]);
    found.backward = std::max(found.backward, times.ready);
    found.buckets.push_back(std::move(times));
  }
  for (const BucketTimes& times : found.buckets) {
    all += times.reduced - times.ready;
    within += std::min(times.reduced, found.backward) - times.ready;
  }
  found.hidden = all > 0 ? std::max(within, 0.0) / all : 0;
  found.total = seconds(Clock::now() - began_);
  return found;
}

void Reducer::write_back(const Bucket& bucket, const std::vector<bool>& used) {
  for (size_t i = 0; i < bucket.parameters.size(); ++i) {
    const size_t p = bucket.parameters[i];
    if (!keeps(p)) continue;
    if (used[p])
      write_gradient(p, bucket.views[i]);
    else
      put_back(p);  // what nobody has used keeps what it has
  }
}

void Reducer::write_gradient(size_t p, const Tensor& reduced) {
  Tensor view = reduced;
  if (apart_[p].defined()) ops::add__Tensor::call(view, apart_[p], Scalar(1));
  apart_[p] = Tensor();
  reduced_[p] = !kept_.empty();
  Tensor grad = grad_of(parameters_[p]);
  if (grad.defined() && is_same_memory(grad, view)) return;
  if (options_.gradients_are_views || !grad.defined())
    set_grad(parameters_[p], options_.gradients_are_views ? view : ops::clone::call(view, {}));
  else
    ops::copy_::call(grad, view, false);
}

}  // namespace opweave::distributed
