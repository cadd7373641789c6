// Python callables as autograd hooks, and the handle that removes them.
#include "bindings/python/core/autograd/hooks.h"

#include <new>

#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "runtime/autograd/gradient_check.h"

namespace opweave::python {
namespace {

PyPtr call(const SharedObject& callable, std::initializer_list<PyPtr> arguments) {
  PyObject* args[2];
  size_t n = 0;
  for (const PyPtr& a : arguments) args[n++] = a.get();
  return PyPtr::steal(check(interpreted(PyObject_Vectorcall, callable.get(), args, n, nullptr)));
}

PyPtr to_tuple(const TensorVec& tensors) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(tensors.size()))));
  for (size_t i = 0; i < tensors.size(); ++i) detail::set_item(tuple.get(), i, wrap(tensors[i]));
  return tuple;
}

// As in messages.
std::string name_of(const SharedObject& callable) {
  const PyPtr name = PyPtr::steal(PyObject_GetAttrString(callable.get(), "__name__"));
  const char* text = name.get() == nullptr ? nullptr : PyUnicode_AsUTF8(name.get());
  PyErr_Clear();
  return text == nullptr ? "<unknown>" : text;
}

// A hook's result as gradients: None keeps what is there.
void replace_gradients(TensorVec& gradients, const SharedObject& hook, PyObject* result) {
  if (result == Py_None) return;
  OW_CHECK_TYPE(PyTuple_Check(result), "expected tuple, but hook returned '", type_name(result),
                "'");
  OW_CHECK(static_cast<size_t>(PyTuple_GET_SIZE(result)) == gradients.size(), "hook '",
           name_of(hook), "' has returned an incorrect number of values (got ",
           PyTuple_GET_SIZE(result), ", but expected ", gradients.size(), ")");
  for (size_t i = 0; i < gradients.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(result, static_cast<Py_ssize_t>(i));
    if (item == Py_None) {
      gradients[i] = Tensor();
      continue;
    }
    OW_CHECK_TYPE(is_tensor(item), "expected Tensor, but hook returned '", type_name(item), "'");
    check_hook_result(name_of(hook), gradients[i], tensor_of(item));
    gradients[i] = tensor_of(item);
  }
}

// What a tensor's hook makes of a gradient; undefined: it is kept.
Tensor replaced(const SharedObject& hook, const Tensor& gradient) {
  const PyPtr result = call(hook, {PyPtr::steal(wrap(gradient))});
  if (result.get() == Py_None) return Tensor();
  OW_CHECK_TYPE(is_tensor(result.get()), "expected Tensor, but hook returned '",
                type_name(result.get()), "'");
  check_hook_result(name_of(hook), gradient, tensor_of(result.get()));
  return tensor_of(result.get());
}

// The engine's part of a RemovableHandle, which is a class in Python.
struct HandleObject {
  PyObject_HEAD;
  HookHandle handle;
};
extern PyTypeObject handle_type;

HookHandle& handle_of(PyObject* self) { return reinterpret_cast<HandleObject*>(self)->handle; }

void handle_dealloc(PyObject* self) {
  handle_of(self).~HookHandle();
  Py_TYPE(self)->tp_free(self);
}
PyObject* handle_remove(PyObject* self, PyObject*) {
  handle_of(self).remove();
  Py_RETURN_NONE;
}
PyObject* handle_id(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(handle_of(self).id());
}

PyMethodDef methods[] = {{"remove", handle_remove, METH_NOARGS, "Takes the hook out again."}, {}};
PyGetSetDef getset[] = {{"id", handle_id, nullptr, nullptr, nullptr}, {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave._C._HookHandle";
  type.tp_basicsize = sizeof(HandleObject);
  type.tp_dealloc = handle_dealloc;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}
PyTypeObject handle_type = make_type();

}  // namespace

Tensor PyTensorHook::operator()(const Tensor& gradient) const {
  if (is_silent(level)) return Tensor();
  const AcquireGil gil;
  if (!examples) return replaced(callable, gradient);
  TensorVec all;
  all.push_back(gradient);
  const TensorVec result = examples->run(std::move(all), [this](TensorVec&& one) {
    TensorVec found;
    found.push_back(replaced(callable, one[0]));
    return found;
  });
  return result[0];
}

void PyAccumulateHook::operator()(const Tensor& leaf) const {
  const AcquireGil gil;
  const PyPtr result = call(callable, {PyPtr::steal(wrap(leaf))});
  OW_CHECK(result.get() == Py_None, "Tensor post accumulate grad hooks should return None.");
}

void PyNodePreHook::operator()(TensorVec& grad_outputs) const {
  if (is_silent(level)) return;
  const AcquireGil gil;
  const auto on = [this](TensorVec&& grads) {
    replace_gradients(grads, callable, call(callable, {to_tuple(grads)}).get());
    return std::move(grads);
  };
  grad_outputs =
      examples ? examples->run(std::move(grad_outputs), on) : on(std::move(grad_outputs));
}

void PyNodePostHook::operator()(TensorVec& grad_inputs, const TensorVec& grad_outputs) const {
  if (is_silent(level)) return;
  const AcquireGil gil;
  if (!examples) {
    const PyPtr result = call(callable, {to_tuple(grad_inputs), to_tuple(grad_outputs)});
    return replace_gradients(grad_inputs, callable, result.get());
  }
  const size_t inputs = grad_inputs.size();
  TensorVec all = std::move(grad_inputs);
  for (const Tensor& t : grad_outputs) all.push_back(t);
  grad_inputs = examples->run(std::move(all), [&](TensorVec&& one) {
    TensorVec of_inputs, of_outputs;
    for (size_t i = 0; i < one.size(); ++i) (i < inputs ? of_inputs : of_outputs).push_back(one[i]);
    const PyPtr result = call(callable, {to_tuple(of_inputs), to_tuple(of_outputs)});
    replace_gradients(of_inputs, callable, result.get());
    return of_inputs;
  });
}

PyObject* wrap(HookHandle handle) {
  const PyPtr self = PyPtr::steal(check(handle_type.tp_alloc(&handle_type, 0)));
  new (&handle_of(self.get())) HookHandle(std::move(handle));
  const PyPtr hooks = PyPtr::steal(check(PyImport_ImportModule("opweave._hooks")));
  return check(interpreted(PyObject_CallMethod, hooks.get(), "removable_handle", "O", self.get()));
}

void add_hook_handle_type(PyObject* module) {
  check(PyType_Ready(&handle_type));
  check(PyModule_AddObjectRef(module, "_HookHandle", reinterpret_cast<PyObject*>(&handle_type)));
}

}  // namespace opweave::python
