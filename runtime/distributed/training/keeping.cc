// Gradients that are kept apart while a bucket is reduced: what an earlier pass has reduced, where
// not all ranks have it, and what nobody has used.
#include <algorithm>
#include <utility>

#include "opweave/ops/any.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/distributed/training/memory.h"
#include "runtime/distributed/training/reducer.h"

namespace opweave::distributed {

void Reducer::keep_only(std::vector<bool> kept) {
  OW_CHECK_VALUE(kept.empty() || kept.size() == parameters_.size(), "Reducer: ", parameters_.size(),
                 " parameters, and what is kept of ", kept.size());
  for (HookHandle& hook : before_) hook.remove();
  before_.clear();
  for (size_t p = 0; p < kept.size(); ++p) {
    if (!kept[p]) continue;
    before_.push_back(register_hook(parameters_[p], [self = weak_from_this(), p](const Tensor&) {
      if (const auto reducer = self.lock()) reducer->on_gradient_to_come(p);
      return Tensor();
    }));
  }
  const std::lock_guard lock(mutex_);
  kept_ = std::move(kept);
}

namespace {

bool is_zero(const Tensor& t) {
  const NoGradGuard no_grad;
  Tensor any = ops::any::call(t);
  if (!is_host(any.device())) {
    Tensor host = make_tensor(any.sizes(), any.dtype(), host_device());
    ops::copy_::call(host, any, false);
    any = host;
  }
  return !*static_cast<const bool*>(any.raw_data());
}

}  // namespace

// Other ranks have not got what this one has reduced: it is no part of what is summed up now.
void Reducer::on_gradient_to_come(size_t p) {
  const std::lock_guard lock(mutex_);
  if (!reduced_[p]) return;
  const Tensor& grad = grad_of(parameters_[p]);
  if (expects_ && !waits_for_outputs()) {
    set_apart(p);
  } else if (!grad.defined() || (stays_local_ && is_zero(grad))) {
    reduced_[p] = false;
  } else {
    OW_CHECK(
        !stays_local_, "no_sync(): the gradient of '", names_[p],
        "' is the average of an earlier pass, which this rank alone keeps, and would be summed "
        "up with gradients that are not reduced yet. Call zero_grad() first");
  }
}

void Reducer::set_apart(size_t p) {
  if (!reduced_[p]) return;
  reduced_[p] = false;
  apart_[p] = Tensor();
  const Tensor grad = grad_of(parameters_[p]);
  if (!grad.defined()) return;
  const NoGradGuard no_grad;
  const Bucket& bucket = buckets_[places_[p].bucket].bucket;
  const bool is_part = bucket.flat.defined() && is_same_memory(grad, bucket.views[places_[p].view]);
  apart_[p] = is_part ? ops::clone::call(grad, {}) : grad;
  set_grad(parameters_[p], Tensor());
}

void Reducer::put_back(size_t p) {
  if (!apart_[p].defined()) return;
  set_grad(parameters_[p], std::exchange(apart_[p], Tensor()));
  reduced_[p] = !kept_.empty();
}

std::vector<bool> Reducer::used_in(const Bucket& bucket) const {
  std::vector<bool> used;
  if (!has_own_hook_ || !(options_.finds_unused || options_.is_static)) return used;
  const std::vector<bool>& all = options_.skips_unused ? used_ : agreed_;
  for (const size_t p : bucket.parameters) used.push_back(all[p]);
  return used;
}

// What a hook does with it is dropped: it shall not send, in their places, what others need.
void Reducer::hide_unused(size_t index) {
  const NoGradGuard no_grad;
  const Bucket& bucket = buckets_[index].bucket;
  const std::vector<bool> used = used_in(bucket);
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    const size_t p = bucket.parameters[i];
    Tensor view = bucket.views[i];
    const Tensor grad = grad_of(parameters_[p]);
    if (grad.defined() && is_same_memory(grad, view)) apart_[p] = ops::clone::call(grad, {});
    ops::zero_::call(view);
  }
}

}  // namespace opweave::distributed
