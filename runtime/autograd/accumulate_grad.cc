// AccumulateGrad: taking over, adding in place, adding with a graph.
#include "runtime/autograd/accumulate_grad.h"

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {

// Strides of dimensions of size 1 do not matter.
bool same_layout(const Tensor& gradient, IntList strides) {
  for (size_t i = 0; i < strides.size(); ++i) {
    if (gradient.sizes()[i] != 1 && gradient.strides()[i] != strides[i]) return false;
  }
  return true;
}

// A leaf's gradient is laid out like the leaf where that is dense, so that optimisers run over both
// in one sweep; otherwise contiguous.
bool has_wanted_layout(const Tensor& gradient, const Tensor& leaf) {
  if (leaf.is_contiguous()) return gradient.is_contiguous();
  return leaf.impl()->is_non_overlapping_and_dense() ? same_layout(gradient, leaf.strides())
                                                     : gradient.is_contiguous();
}

Tensor without_history(Tensor gradient) {
  const TensorImpl& impl = *gradient.impl();
  if (!gradient.is_view() && !gradient.requires_grad() && !impl.is_wrapped_number())
    return gradient;
  return engine_ops::alias_of(gradient);
}

Tensor copy_in_layout_of(const Tensor& leaf, const Tensor& gradient) {
  const bool dense = leaf.impl()->is_non_overlapping_and_dense();
  const DimVector strides = dense ? DimVector(leaf.strides()) : contiguous_strides(leaf.sizes());
  Tensor copy =
      engine_ops::buffer_for(gradient, leaf.sizes(), strides, leaf.dtype(), leaf.device());
  engine_ops::copy_(copy, gradient, /*non_blocking=*/false);
  return copy;
}

void accumulate(Tensor& grad, Tensor&& gradient, const Tensor& leaf) {
  if (grad.defined()) {
    if (grad_enabled()) {
      grad = engine_ops::add(grad, gradient, 1);
    } else {
      engine_ops::add_(grad, gradient, 1);
    }
  } else if (!grad_enabled() && is_sole_owner(gradient) && has_wanted_layout(gradient, leaf)) {
    grad = without_history(std::move(gradient));
  } else if (!engine_ops::is_plain(gradient)) {  // there is no memory to copy it to
    grad = grad_enabled() ? std::move(gradient) : engine_ops::alias_of(gradient);
  } else {
    grad = copy_in_layout_of(leaf, gradient);
  }
}

}  // namespace

bool is_sole_owner(const Tensor& gradient) {
  const TensorImpl& impl = *gradient.impl();
  // What stands for other tensors does not know who shares their memory.
  if (impl.use_count() != 1 || impl.extension() != nullptr) return false;
  const bool owns_base = impl.view_base() != nullptr && impl.view_base()->use_count() == 1;
  return impl.storage()->use_count() == (owns_base ? 2 : 1);
}

TensorVec AccumulateGrad::apply(TensorVec&& grads) {
  if (!grads[0].defined()) return {};
  AutogradMeta& meta = this->meta();
  {
    std::lock_guard lock(meta.grad_mutex);
    accumulate(meta.grad, std::move(grads[0]), leaf_);
  }
  std::shared_ptr<AccumulateHooks> hooks;
  {
    std::lock_guard lock(meta.accumulator_lock);
    hooks = meta.post_accumulate_hooks;
  }
  if (hooks) hooks->for_each([&](const auto& hook) { hook(leaf_); });
  return {};
}

std::shared_ptr<TensorHooks> AccumulateGrad::leaf_hooks() const {
  std::lock_guard lock(meta().accumulator_lock);
  return meta().hooks;
}

void AccumulateGrad::destroy() {
  {
    std::lock_guard lock(meta().accumulator_lock);
    if (!give_up_last_reference()) return;
    if (meta().accumulator == this) meta().accumulator = nullptr;
  }
  Node::destroy();
}

}  // namespace opweave
