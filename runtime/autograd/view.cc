// Views and in-place operators: linking, bringing up to date, checks and their messages.
#include "runtime/autograd/view.h"

#include <algorithm>

#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/copy_slices.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {

CreationMeta creation_meta(bool multi_output) {
  if (inference_mode_enabled()) return CreationMeta::kInferenceMode;
  if (!grad_enabled()) return CreationMeta::kNoGradMode;
  return multi_output ? CreationMeta::kMultiOutputView : CreationMeta::kDefault;
}

std::string_view why_not_writable(CreationMeta meta) {
  switch (meta) {
    case CreationMeta::kMultiOutputView:
      return " This view is the output of a function that returns multiple views. Such functions "
             "do "
             "not allow the output views to be modified inplace. You should replace the inplace "
             "operation by an out-of-place one.";
    case CreationMeta::kNoGradMode:
      return " This view was created in no_grad mode, so it is not clear whether the write is "
             "meant "
             "to be recorded. Create the view and write to it either both inside the no_grad block "
             "(not recorded) or both outside of it (recorded).";
    case CreationMeta::kInferenceMode:
      return " This view was created in inference mode and cannot take part in recording. Create "
             "the "
             "view and write to it both inside or both outside of inference mode.";
    case CreationMeta::kCustomFunction:
      return " This view was created inside a custom Function (or because an input was returned "
             "as-is), and recording the write would override the Function's backward, giving "
             "incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
             "output of the custom Function.";
    case CreationMeta::kDefault:
      break;
  }
  return "";
}

// Throws when a write to the view, or to its base (`indirect`), cannot be recorded.
void check_view_write(const Tensor& view, bool indirect) {
  const CreationMeta meta = view.impl()->creation_meta();
  if (meta == CreationMeta::kDefault) return;
  const auto* made_by = static_cast<Node*>(view.impl()->grad_fn_slot().get());
  const std::string subject =
      made_by != nullptr
          ? str("Output ", view.impl()->output_nr(), " of ", made_by->name(), " is a view")
      : meta == CreationMeta::kNoGradMode    ? "A view was created in no_grad mode"
      : meta == CreationMeta::kInferenceMode ? "A view was created in inference mode"
                                             : "A tensor is a view";
  OW_THROW(ErrorKind::kRuntime, subject,
           indirect ? " and its base or another view of its base has been modified inplace."
                    : " and is being modified inplace with grad mode enabled.",
           why_not_writable(meta));
}

// retain_grad() follows the tensor to its new history.
void move_retained(const Tensor& t, const Edge& edge) {
  const AutogradMeta* meta = find_autograd_meta(t);
  if (meta == nullptr || !meta->retained_grad) return;
  auto* old = static_cast<Node*>(t.impl()->grad_fn_slot().get());
  if (old != nullptr && old->extras() != nullptr) {
    std::erase_if(old->extras()->retained,
                  [&](const auto& r) { return r.gradient.lock() == meta->retained_grad; });
  }
  if (edge) edge.function->make_extras().retained.push_back({edge.input_nr, meta->retained_grad});
}

// The view once more, made from its base.
Tensor part_of_base(const Tensor& view) {
  const TensorImpl& impl = *view.impl();
  return engine_ops::as_strided(view_base(view), impl.sizes(), impl.strides(),
                                impl.storage_offset());
}

// The history of a view, from its place in the base.
Edge edge_through_base(const Tensor& view) {
  ThreadStateGuard outside{ThreadState()};  // wherever we are: recorded
  const Tensor fresh = part_of_base(view);
  auto* node = static_cast<Node*>(fresh.impl()->grad_fn_slot().get());
  return {intrusive_ptr<Node>(node), fresh.impl()->output_nr()};
}

// Gives a view new history; `stale_only`: unless another thread has done so.
void regenerate(const Tensor& view, bool stale_only) {
  static ForkSafeMutex mutex;
  // Operators and destructors of nodes may run user code: not under the lock.
  Edge edge = edge_through_base(view);
  intrusive_ptr<RefCounted> old;
  std::lock_guard lock(mutex);
  if (stale_only && !view.impl()->is_stale_view()) return;
  old = view.impl()->grad_fn_slot();
  set_gradient_edge(view, std::move(edge));
  view.impl()->set_view_version(view.impl()->version().current());
}

}  // namespace

void as_view(const Tensor& self, const Tensor& view, CreationMeta meta) {
  TensorImpl& impl = *view.impl();
  if (view.is_same(self)) return;
  impl.set_inference(self.is_inference());
  if (self.is_inference()) return;
  TensorImpl* base = self.impl();
  if (base->view_base() != nullptr) {
    if (meta == CreationMeta::kDefault) meta = base->creation_meta();
    base = base->view_base();
  }
  impl.set_view_base(intrusive_ptr<TensorImpl>(base), meta);
}

void as_view(const Tensor& self, const Tensor& view) {
  as_view(self, view, creation_meta(/*multi_output=*/false));
}

void as_views(const Tensor& self, const std::vector<Tensor>& views) {
  for (const Tensor& view : views) as_view(self, view, creation_meta(/*multi_output=*/true));
}

const intrusive_ptr<RefCounted>& refreshed_grad_fn(const Tensor& t) {
  if (t.impl()->is_stale_view()) {
    check_view_write(t, /*indirect=*/true);
    regenerate(t, /*stale_only=*/true);
  }
  return t.impl()->grad_fn_slot();
}

Edge gradient_edge(const Tensor& t) {
  if (!t.defined()) return {};
  if (Node* node = grad_fn(t)) return {intrusive_ptr<Node>(node), t.impl()->output_nr()};
  if (!t.requires_grad()) return {};
  return {grad_accumulator(t), 0};
}

void set_gradient_edge(const Tensor& t, Edge edge) {
  OW_INTERNAL_ASSERT(t.impl()->extension() == nullptr,
                     "a tensor that stands for others has no history");
  move_retained(t, edge);
  t.impl()->set_grad_fn(std::move(edge.function), edge.input_nr);
}

// Whether gradients are asked for by the tensor as it is: a write would give it another history.
static bool is_differentiated_by(TensorImpl& impl) {
  const auto* meta = static_cast<const AutogradMeta*>(impl.autograd_meta().get());
  return impl.is_leaf() || (meta != nullptr && meta->of_transform);
}

void check_inplace(const Tensor& self, bool record) {
  if (!record) return;
  const bool requires_grad = self.requires_grad();
  if (self.is_view()) {
    check_view_write(self, /*indirect=*/false);
    OW_CHECK(
        !requires_grad || !is_differentiated_by(*self.impl()->view_base()),
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  OW_CHECK(!requires_grad || !is_differentiated_by(*self.impl()),
           "a leaf Variable that requires grad is being used in an in-place operation.");
}

void rebase_history(const Tensor& self, intrusive_ptr<Node> node) {
  node->add_input_metadata(self);
  if (!self.is_differentiable()) return;
  if (!self.is_view()) {
    set_gradient_edge(self, {std::move(node), 0});
    return;
  }
  check_view_write(self, /*indirect=*/false);
  const Tensor base = view_base(self);
  set_gradient_edge(base, {make_node<CopySlices>(base, self, std::move(node)), 0});
  regenerate(self, /*stale_only=*/false);
}

void move_view_history(const Tensor& self, intrusive_ptr<Node> node) {
  node->add_input_metadata(self);
  if (!self.is_differentiable()) return;
  set_gradient_edge(self, {std::move(node), 0});
  if (self.is_view()) self.impl()->set_view_version(self.impl()->version().current());
}

Tensor without_view_hooks(const Tensor& self) {
  if (!self.is_view()) return self;
  const Node* node = grad_fn(self);
  return node != nullptr && node->extras() != nullptr ? part_of_base(self) : self;
}

void increment_version(const Tensor& self, const char* op) {
  OW_CHECK(!self.is_inference() || inference_mode_enabled(),
           "Inplace update to inference tensor outside InferenceMode is not allowed: '", op,
           "' would change it. You can make a clone to get a normal tensor before doing inplace "
           "update.");
  self.impl()->version().bump(op);
}

void check_out_no_grad(std::string_view op, bool any_requires_grad) {
  OW_CHECK(!any_requires_grad, op,
           "(): functions with out=... arguments don't support automatic differentiation, but one "
           "of the arguments requires grad.");
}

void check_not_differentiated(std::string_view op, std::string_view argument, const Tensor& t) {
  OW_CHECK(!grad_enabled() || !t.defined() || !t.requires_grad(), "The function '", op,
           "' is not differentiable with respect to argument '", argument,
           "'. This input cannot have requires_grad True.");
}

void detach_history(const Tensor& self) {
  OW_CHECK(
      !self.is_view(),
      "Can't detach views in-place. Use detach() instead. If you need the result to be known as "
      "a view of the base, create the view inside a no_grad block.");
  set_gradient_edge(self, {});
  self.impl()->set_requires_grad_flag(false);
}

Tensor view_base(const Tensor& t) {
  return Tensor(intrusive_ptr<TensorImpl>(t.impl()->view_base()));
}

}  // namespace opweave
