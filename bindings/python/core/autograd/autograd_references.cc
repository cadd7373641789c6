// What autograd holds of Python's, for the cycle collector.
#include "bindings/python/core/autograd/autograd_references.h"

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "runtime/autograd/autograd_meta.h"

namespace opweave::python {
namespace {

// The node that made a tensor nobody else refers to. Nodes behind it are not searched: a graph may
// have millions of them.
int traverse_node(const Node& node, visitproc visit, void* arg) {
  if (node.use_count() != 1) return 0;
  Py_VISIT(context_of(node));
  if (node.extras() == nullptr) return 0;
  for (const auto& [number, hooks] : node.extras()->tensor_hooks) {
    if (const int result = visit_hooks<PyTensorHook>(hooks, visit, arg)) return result;
  }
  if (const int r = visit_hooks<PyNodePreHook>(node.extras()->pre_hooks, visit, arg)) return r;
  return visit_hooks<PyNodePostHook>(node.extras()->post_hooks, visit, arg);
}

}  // namespace

int traverse_autograd(TensorImpl& impl, visitproc visit, void* arg) {
  if (impl.grad_fn_slot()) {
    const auto& node = static_cast<const Node&>(*impl.grad_fn_slot());
    if (const int result = traverse_node(node, visit, arg)) return result;
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
