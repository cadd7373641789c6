// The context object of custom functions: what `forward` and `backward` see as `ctx`.
#include "bindings/python/core/autograd/function_object.h"

#include <structmember.h>

#include <new>

#include "bindings/python/core/autograd/node_object.h"
#include "bindings/python/core/autograd/saved_hooks.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/gil.h"

namespace opweave::python {
namespace {

PyObject* context_new(PyTypeObject* type, PyObject*, PyObject*) try {
  auto link = std::make_shared<NodeLink>();
  PyObject* self = type->tp_alloc(type, 0);  // zeroed
  if (self == nullptr) return nullptr;
  ContextObject* context = as_context(self);
  context->materialize_grads = true;
  new (&context->link) std::shared_ptr<NodeLink>(std::move(link));
  new (&context->input_is_tensor) std::vector<bool>;
  new (&context->saved) std::vector<SavedTensor>;
  return self;
} catch (...) {
  return set_python_error();
}

int context_traverse(PyObject* self, visitproc visit, void* arg) {
  const ContextObject* context = as_context(self);
  Py_VISIT(context->to_save);
  Py_VISIT(context->dirty);
  Py_VISIT(context->non_differentiable);
  Py_VISIT(context->needs_input_grad);
  Py_VISIT(context->dict);
  for (const SavedTensor& saved : context->saved) {
    if (const int result = visit_packed(saved, visit, arg)) return result;
  }
  return 0;
}

int context_clear(PyObject* self) {
  ContextObject* context = as_context(self);
  Py_CLEAR(context->to_save);
  Py_CLEAR(context->dirty);
  Py_CLEAR(context->non_differentiable);
  Py_CLEAR(context->needs_input_grad);
  Py_CLEAR(context->dict);
  decltype(context->saved) dropped;  // only afterwards: what it frees may look at the context
  dropped.swap(context->saved);
  return 0;
}

void context_dealloc(PyObject* self) {
  ContextObject* context = as_context(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (context->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  context_clear(self);
  context->saved.~vector();
  context->link.~shared_ptr();
  context->input_is_tensor.~vector();
  type->tp_free(self);
}

PyObject* keep(PyObject*& slot, PyObject* args) {
  Py_XSETREF(slot, Py_NewRef(args));
  Py_RETURN_NONE;
}
PyObject* save_for_backward(PyObject* self, PyObject* args) {
  return keep(as_context(self)->to_save, args);
}
PyObject* mark_dirty(PyObject* self, PyObject* args) { return keep(as_context(self)->dirty, args); }
PyObject* mark_non_differentiable(PyObject* self, PyObject* args) {
  return keep(as_context(self)->non_differentiable, args);
}
PyObject* set_materialize_grads(PyObject* self, PyObject* value) {
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) return nullptr;
  as_context(self)->materialize_grads = truth != 0;
  Py_RETURN_NONE;
}

PyObject* saved_tensors(PyObject* self, void*) try {
  ContextObject* context = as_context(self);
  if (context->saved_released) fail_released(Py_TYPE(self)->tp_name);
  const intrusive_ptr<PythonNode> node = context->link->get();
  if (!node) {  // still in forward, or nothing needs a gradient
    return context->to_save != nullptr ? Py_NewRef(context->to_save) : PyTuple_New(0);
  }
  const size_t n = context->saved.size();
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(n))));
  for (size_t i = 0; i < n; ++i) {
    const SavedTensor& saved = context->saved[i];
    detail::set_item(tuple.get(), i,
                     wrap(one_of(node->examples(), saved.unpack_with_history(node.get()))));
  }
  return tuple.release();
} catch (...) {
  return set_python_error();
}

PyObject* has_saved(PyObject* self, void*) {
  return PyBool_FromLong(static_cast<long>(!as_context(self)->saved.empty()));
}

PyObject* materializes(PyObject* self, void*) {
  return PyBool_FromLong(static_cast<long>(as_context(self)->materialize_grads));
}

PyObject* needs_input_grad(PyObject* self, void*) {
  PyObject* value = as_context(self)->needs_input_grad;
  return value != nullptr ? Py_NewRef(value) : PyTuple_New(0);
}

intrusive_ptr<PythonNode> node_of(PyObject* self) {
  intrusive_ptr<PythonNode> node = as_context(self)->link->get();
  OW_CHECK(node,
           "Attribute of an autograd function is invalid after the graph was freed, or before the "
           "forward pass was over");
  return node;
}
PyObject* next_functions(PyObject* self, void*) try {
  return node_next_functions(*node_of(self));
} catch (...) {
  return set_python_error();
}
PyObject* name(PyObject* self, PyObject*) try {
  return PyUnicode_FromString(Py_TYPE(self)->tp_name);
} catch (...) {
  return set_python_error();
}
PyObject* register_hook(PyObject* self, PyObject* callable) try {
  return node_register_hook(*node_of(self), callable);
} catch (...) {
  return set_python_error();
}
PyObject* register_prehook(PyObject* self, PyObject* callable) try {
  return node_register_prehook(*node_of(self), callable);
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {
    {"save_for_backward", save_for_backward, METH_VARARGS,
     "Keeps tensors for backward, with a check that nobody changes them."},
    {"mark_dirty", mark_dirty, METH_VARARGS, "Tells which inputs forward changed in place."},
    {"mark_non_differentiable", mark_non_differentiable, METH_VARARGS,
     "Tells which outputs have no gradient."},
    {"set_materialize_grads", set_materialize_grads, METH_O,
     "Whether backward gets zeros (the default) or None for outputs without a gradient."},
    {"name", name, METH_NOARGS, nullptr},
    {"register_hook", register_hook, METH_O, nullptr},
    {"register_prehook", register_prehook, METH_O, nullptr},
    {}};
PyGetSetDef getset[] = {
    {"saved_tensors", saved_tensors, nullptr, "What save_for_backward() kept.", nullptr},
    {"_has_saved", has_saved, nullptr, "Whether save_for_backward() kept anything.", nullptr},
    {"_materialize_grads", materializes, nullptr, "What set_materialize_grads() was told.",
     nullptr},
    {"needs_input_grad", needs_input_grad, nullptr,
     "For each argument of forward, whether its gradient is wanted.", nullptr},
    {"next_functions", next_functions, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave._C._FunctionContext";
  type.tp_basicsize = sizeof(ContextObject);
  type.tp_new = context_new;
  type.tp_dealloc = context_dealloc;
  type.tp_traverse = context_traverse;
  type.tp_clear = context_clear;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  type.tp_methods = methods;
  type.tp_getset = getset;
  type.tp_dictoffset = offsetof(ContextObject, dict);
  type.tp_weaklistoffset = offsetof(ContextObject, weakrefs);
  return type;
}

}  // namespace

PyTypeObject context_type = make_type();

intrusive_ptr<PythonNode> NodeLink::get() {
  std::lock_guard lock(mutex);
  if (node == nullptr || !node->try_retain()) return {};
  return intrusive_ptr<PythonNode>::adopt(node);
}

PythonNode::PythonNode(PyObject* context)
    : link_(as_context(context)->link),
      context_(Py_NewRef(context)),
      name_(Py_TYPE(context)->tp_name) {}

PythonNode::~PythonNode() { drop_reference(context_); }

void PythonNode::destroy() {
  {
    std::lock_guard lock(link_->mutex);
    if (!give_up_last_reference()) return;
    link_->node = nullptr;
  }
  Node::destroy();
}

void PythonNode::release_saved() {
  const AcquireGil gil;
  ContextObject* context = as_context(context_);
  context->saved_released = context->saved_released || !context->saved.empty();
  const std::vector<SavedTensor> dropped = std::exchange(context->saved, {});
}

PyObject* context_of(const Node& node) {
  const auto* python = dynamic_cast<const PythonNode*>(&node);
  return python != nullptr ? python->context() : nullptr;
}

void add_context_type(PyObject* module) {
  check(PyType_Ready(&context_type));
  check(PyModule_AddObjectRef(module, "_FunctionContext",
                              reinterpret_cast<PyObject*>(&context_type)));
}

}  // namespace opweave::python
