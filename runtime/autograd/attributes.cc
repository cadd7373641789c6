// The autograd attributes of a tensor and its hooks.
#include <algorithm>

#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"

namespace opweave {

const Tensor& grad_of(const Tensor& t) {
  static const Tensor none;
  const AutogradMeta* meta = find_autograd_meta(t);
  if (meta == nullptr) return none;
  return meta->retained_grad && meta->retained_grad->defined() ? *meta->retained_grad : meta->grad;
}

void set_grad(const Tensor& t, const Tensor& grad) {
  if (!grad.defined()) {
    AutogradMeta* meta = find_autograd_meta(t);
    if (meta == nullptr) return;
    meta->grad.reset();
    if (meta->retained_grad) meta->retained_grad->reset();
    return;
  }
  OW_CHECK(!grad.is_same(t), "can't assign Variable as its own grad");
  OW_CHECK(grad.dtype() == t.dtype(), "assigned grad has data of a different type: ", grad.dtype(),
           " instead of ", t.dtype());
  OW_CHECK(grad.device().type == t.device().type,
           "assigned grad has data located on a different "
           "device: ",
           grad.device(), " instead of ", t.device());
  OW_CHECK(same_sizes(grad.sizes(), t.sizes()),
           "assigned grad has data of a different size: ", grad.sizes(), " instead of ", t.sizes());
  AutogradMeta& meta = autograd_meta(t);
  (meta.retained_grad ? *meta.retained_grad : meta.grad) = grad;
}

void set_requires_grad(const Tensor& t, bool requires_grad) {
  OW_CHECK(!requires_grad || is_differentiable(t.dtype()),
           "only Tensors of floating point dtype can require gradients");
  OW_CHECK(
      requires_grad || is_leaf(t),
      "you can only change requires_grad flags of leaf variables. If you want to use a computed "
      "variable in a subgraph that doesn't require differentiation use "
      "var_no_grad = var.detach().");
  if (!is_leaf(t)) return;  // it requires grad already
  OW_CHECK(!requires_grad || !t.is_inference() || inference_mode_enabled(),
           "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (requires_grad) autograd_meta(t);
  t.impl()->set_requires_grad_flag(requires_grad);
}

void retain_grad(const Tensor& t) {
  OW_CHECK(t.requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  Node* node = grad_fn(t);
  if (node == nullptr) return;  // a leaf keeps its gradient anyway
  AutogradMeta& meta = autograd_meta(t);
  if (meta.retained_grad) return;
  meta.retained_grad = std::make_shared<Tensor>();
  node->make_extras().retained.push_back({t.impl()->output_nr(), meta.retained_grad});
}

bool retains_grad(const Tensor& t) {
  const AutogradMeta* meta = find_autograd_meta(t);
  return meta != nullptr && meta->retained_grad != nullptr;
}

bool is_leaf(const Tensor& t) { return grad_fn(t) == nullptr; }

uint32_t output_nr(const Tensor& t) {
  grad_fn(t);
  return t.impl()->output_nr();
}

Tensor detached(const Tensor& t) {
  Tensor alias = engine_ops::alias_of(t);
  if (engine_ops::is_plain(t)) alias.impl()->set_inference(t.is_inference());
  return alias;
}

HookHandle register_hook(const Tensor& t, TensorHooks::Function hook) {
  OW_CHECK(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  if (Node* node = grad_fn(t)) return node->add_tensor_hook(t.impl()->output_nr(), std::move(hook));
  AutogradMeta& meta = autograd_meta(t);
  std::lock_guard lock(meta.accumulator_lock);
  if (!meta.hooks) meta.hooks = std::make_shared<TensorHooks>();
  return {meta.hooks, meta.hooks->add(std::move(hook))};
}

HookHandle register_post_accumulate_grad_hook(const Tensor& leaf, AccumulateHooks::Function hook) {
  OW_CHECK(leaf.requires_grad(),
           "cannot register a hook on a tensor that doesn't require gradient");
  OW_CHECK(is_leaf(leaf), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  AutogradMeta& meta = autograd_meta(leaf);
  std::lock_guard lock(meta.accumulator_lock);
  if (!meta.post_accumulate_hooks) meta.post_accumulate_hooks = std::make_shared<AccumulateHooks>();
  return {meta.post_accumulate_hooks, meta.post_accumulate_hooks->add(std::move(hook))};
}

}  // namespace opweave
