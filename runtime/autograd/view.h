// Views and in-place operators: which tensor is a view of which, and how histories follow a write.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/autograd/node.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// --- after a view operator, in its tracking kernel --------------------------------------------
// Marks `view` as a differentiable view of `self`, or of self's own base. How it was made decides
// whether it may be written in place later: multi-output views may not.
void as_view(const Tensor& self, const Tensor& view, CreationMeta meta);
void as_view(const Tensor& self, const Tensor& view);
void as_views(const Tensor& self, const std::vector<Tensor>& views);

// --- history
// -------------------------------------------------------------------------------------- The node
// that made the tensor; null for a leaf. A view whose base was written in place since gets a new
// one first.
const intrusive_ptr<RefCounted>& refreshed_grad_fn(const Tensor& t);
inline Node* grad_fn(const Tensor& t) {
  const bool may_be_stale = t.impl()->view_base() != nullptr;
  return static_cast<Node*>((may_be_stale ? refreshed_grad_fn(t) : t.impl()->grad_fn_slot()).get());
}
// Where the tensor's gradient goes: to grad_fn, to a leaf's accumulator, or nowhere.
Edge gradient_edge(const Tensor& t);
// Makes (node, output_nr) the history of the tensor; a gradient retained for it stays retained.
void set_gradient_edge(const Tensor& t, Edge edge);

// --- around an in-place operator
// ------------------------------------------------------------------ Before it, in its autograd
// kernel: throws when `self` may not be written. `record` says whether the write will be
// differentiated.
void check_inplace(const Tensor& self, bool record);
// After it: `node` made the new value of `self`. For a view, the base gets a CopySlices around
// node.
void rebase_history(const Tensor& self, intrusive_ptr<Node> node);
// After an operator that gave `self` another geometry and wrote nothing: nothing happens to a
// view's base, and what was registered for the view before stays in its history.
void move_view_history(const Tensor& self, intrusive_ptr<Node> node);
// What an in-place operator that is composed of others reads: `self`; for a view for which hooks
// were registered, the same part of its base. These are of the value that is overwritten, and
// nothing leads there from a base that was written through a view.
Tensor without_view_hooks(const Tensor& self);
// In its tracking kernel. `op` names the operator in messages and must live for ever.
void increment_version(const Tensor& self, const char* op);
// For out=: a tensor that is overwritten cannot be differentiated.
void check_out_no_grad(std::string_view op, bool any_requires_grad);
// RuntimeError where a gradient would be asked for that an operator does not have.
void check_not_differentiated(std::string_view op, std::string_view argument, const Tensor& t);

// Cuts `self` off from its history, in place.
void detach_history(const Tensor& self);
// The tensor that `t` is a view of; undefined when it is no view.
Tensor view_base(const Tensor& t);

}  // namespace opweave
