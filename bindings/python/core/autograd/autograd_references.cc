// What autograd holds of Python's, for the cycle collector.
#include "bindings/python/core/autograd/autograd_references.h"

#include <array>

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "runtime/autograd/accumulate_grad.h"
#include "runtime/autograd/autograd_meta.h"

namespace opweave::python {
namespace {

// A graph may have millions of nodes: so many are searched behind a tensor.
constexpr size_t kMostNodes = 64;

int traverse_node(const Node& node, visitproc visit, void* arg) {
  Py_VISIT(context_of(node));
  if (node.extras() == nullptr) return 0;
  for (const auto& [number, hooks] : node.extras()->tensor_hooks) {
    if (const int result = visit_hooks<PyTensorHook>(hooks, visit, arg)) return result;
  }
  if (const int r = visit_hooks<PyNodePreHook>(node.extras()->pre_hooks, visit, arg)) return r;
  return visit_hooks<PyNodePostHook>(node.extras()->post_hooks, visit, arg);
}

// What a tensor holds that nothing else does.
int traverse_owned(TensorImpl& impl, visitproc visit, void* arg) {
  if (impl.use_count() != 1) return 0;
  if (impl.owns_pyobject()) Py_VISIT(static_cast<PyObject*>(impl.pyobject()));
  return traverse_autograd(impl, visit, arg);
}

int traverse_leaf(const Node& accumulator, visitproc visit, void* arg) {
  return traverse_owned(*static_cast<const AccumulateGrad&>(accumulator).leaf().impl(), visit, arg);
}

// The nodes that nobody refers to but a tensor to which nobody else refers, and one another.
int traverse_graph(const Node* made_by, visitproc visit, void* arg) {
  std::array<const Node*, kMostNodes> nodes;
  size_t count = 0;
  const auto add = [&](const Node* node) {
    if (node != nullptr && node->use_count() == 1 && count < kMostNodes) nodes[count++] = node;
  };
  add(made_by);
  for (size_t i = 0; i < count; ++i) {
    if (const int result = traverse_node(*nodes[i], visit, arg)) return result;
    if (nodes[i]->is_accumulator()) {
      if (const int result = traverse_leaf(*nodes[i], visit, arg)) return result;
    }
    for (const Edge& edge : nodes[i]->next_edges()) add(edge.function.get());
  }
  return 0;
}

}  // namespace

int traverse_autograd(TensorImpl& impl, visitproc visit, void* arg) {
  if (impl.grad_fn_slot()) {
    const auto& node = static_cast<const Node&>(*impl.grad_fn_slot());
    if (const int result = traverse_graph(&node, visit, arg)) return result;
  }
  const auto* meta = static_cast<const AutogradMeta*>(impl.autograd_meta().get());
  if (meta == nullptr) return 0;
  if (meta->grad.defined()) {
    const TensorImpl& grad = *meta->grad.impl();
    if (grad.use_count() == 1 && grad.owns_pyobject()) {
      Py_VISIT(static_cast<PyObject*>(grad.pyobject()));
    }
  }
  if (const int result = visit_hooks<PyTensorHook>(meta->hooks, visit, arg)) return result;
  return visit_hooks<PyAccumulateHook>(meta->post_accumulate_hooks, visit, arg);
}

}  // namespace opweave::python
