// Autograd for users: backward(), gradients(), hooks, and the attributes of a tensor.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/autograd/hooks.h"
#include "runtime/autograd/node.h"
#include "runtime/autograd/view.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// Accumulates the gradients of `tensors` into the `grad` of every leaf that they depend on, or only
// of `inputs`. `grads` holds one gradient per tensor; an undefined one, or an empty list, stands
// for one, and needs a tensor of one element. The graph is freed unless `retain_graph`, which is
// like `create_graph` when not given.
void backward(TensorList tensors, TensorList grads = {}, std::optional<bool> retain_graph = {},
              bool create_graph = false, TensorList inputs = {});

struct GradOptions {
  std::optional<bool> retain_graph;
  bool create_graph = false;
  bool allow_unused = false;
  bool materialize_grads = false;  // zeros for unused inputs
};
// The gradients of `outputs` with respect to `inputs`, which may be leaves or not; nothing is
// accumulated.
std::vector<Tensor> gradients(TensorList outputs, TensorList inputs, TensorList grad_outputs = {},
                              const GradOptions& options = {});
// The same with respect to places in the graph (grad_fn and output number).
std::vector<Tensor> gradients_at(TensorList outputs, std::span<const Edge> inputs,
                                 TensorList grad_outputs, const GradOptions& options);

// --- the backward call that this thread works on; RuntimeError outside of one
// `done` runs when it is done, on its caller's thread. Where it, or `done`, throws, `failed` gets
// what was thrown, and may not throw.
void queue_backward_callback(std::function<void()> done,
                             std::function<void(const std::exception_ptr&)> failed = {});
struct BackwardCall {
  bool accumulates = false;    // into leaves: gradients() does not
  bool is_restricted = false;  // to inputs
  bool is_nested = false;      // in another that a node or a hook waits in
};
BackwardCall current_backward_call();
// Whether it goes through what computes the leaf's gradient.
bool current_backward_reaches(const Tensor& leaf);

// --- attributes
const Tensor& grad_of(const Tensor& t);
// Checks shape, dtype and device; an undefined tensor clears it.
void set_grad(const Tensor& t, const Tensor& grad);
// Of a leaf of floating-point dtype.
void set_requires_grad(const Tensor& t, bool requires_grad);
// Keeps the gradient of a tensor that is no leaf in its `grad`.
void retain_grad(const Tensor& t);
bool retains_grad(const Tensor& t);
// After bringing a view up to date.
bool is_leaf(const Tensor& t);
uint32_t output_nr(const Tensor& t);
// A tensor over the same data and version, without history: what detach() returns.
Tensor detached(const Tensor& t);

// --- hooks
HookHandle register_hook(const Tensor& t, TensorHooks::Function hook);
// On a leaf, after its `grad` has been updated.
HookHandle register_post_accumulate_grad_hook(const Tensor& leaf, AccumulateHooks::Function hook);

}  // namespace opweave
