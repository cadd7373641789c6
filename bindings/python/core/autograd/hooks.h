// Python callables as autograd hooks.
#pragma once

#include <Python.h>

#include <memory>

#include "bindings/python/core/autograd/hook_levels.h"
#include "bindings/python/core/objects/shared_object.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/hooks.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// What std::function holds in the hook lists; a type of its own each, so that the cycle collector
// finds the callables again.
struct PyTensorHook {
  SharedObject callable;
  ExamplesPtr examples = {};  // of the tensor: the callable gets the gradient of one
  HookLevelPtr level = {};
  Tensor operator()(const Tensor& gradient) const;
};
struct PyAccumulateHook {
  SharedObject callable;
  void operator()(const Tensor& leaf) const;
};
struct PyNodePreHook {
  SharedObject callable;
  ExamplesPtr examples = {};  // of a function's node: the callable gets gradients of one
  HookLevelPtr level = {};
  void operator()(TensorVec& grad_outputs) const;
};
struct PyNodePostHook {
  SharedObject callable;
  ExamplesPtr examples = {};
  HookLevelPtr level = {};
  void operator()(TensorVec& grad_inputs, const TensorVec& grad_outputs) const;
};

// Calls `visit` for the callables of a list that nothing else owns.
template <class PyHook, class Signature>
int visit_hooks(const std::shared_ptr<HookList<Signature>>& list, visitproc visit, void* arg) {
  if (list == nullptr || list.use_count() != 1) return 0;
  int result = 0;
  list->for_each([&](const std::function<Signature>& f) {
    const auto* hook = f.template target<PyHook>();
    if (hook != nullptr && result == 0) result = visit(hook->callable.get(), arg);
  });
  return result;
}

// opweave.utils.hooks.RemovableHandle, as for hooks of modules.
PyObject* wrap(HookHandle handle);
void add_hook_handle_type(PyObject* module);

}  // namespace opweave::python
