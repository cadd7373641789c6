// Tensors whose class answers operators: a functionality that they carry, below that of modes.
//
// What a class sees, autograd, autocast and vmap have dealt with, and modes have let through. Its
// method is asked in the place of the kernel, by the package's _dispatch_classes.py. An operator
// that is made of others and has no gradient of its own is not shown; those that it calls are.
#include "bindings/python/core/overrides/dispatch_classes.h"

#include <mutex>

#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/calls/python_call.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "bindings/python/core/overrides/dispatch_modes.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/registry.h"

namespace opweave::python {
namespace {

constinit FunctionalityKey classes_key{"DispatchClasses", {.below = "DispatchModes"}};

// The name in the object's dictionary.
constexpr const char* kClaim = "_claimed_device";

// The keys of a call as if its tensors were on the host: some of them are meta tensors only because
// they have no data, and what is made of others is so on all targets.
DispatchKeySet as_on_host(DispatchKeySet keys) {
  return (keys - DispatchKeySet::backends()) | backend_key(host_device().type);
}

void ask_classes(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const DispatchKeySet on_host = as_on_host(keys);
  if (is_made_of_others(op, on_host)) return op.call_resolved(on_host - classes_key.key(), stack);
  const AcquireGil gil;
  const ThreadStateGuard restore;
  ThreadState& state = thread_state();
  state.excluded =
      state.excluded | (keys_from(classes_key.key()) - classes_key.key() - observer_keys());
  const PythonCall call = to_short_call(op, stack);
  const PyPtr self = PyPtr::steal(wrap(const_cast<OperatorEntry&>(op)));
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave._dispatch_classes")));
  const PyPtr answer = PyPtr::steal(check(PyObject_GetAttrString(module.get(), "answer")));
  const PyPtr result =
      PyPtr::steal(check(interpreted(PyObject_CallFunctionObjArgs, answer.get(), self.get(),
                                     call.args.get(), call.kwargs.get(), nullptr)));
  from_python_result(result.get(), op, stack);
}

PyObject* is_answered(PyObject*, PyObject* object) try {
  return PyBool_FromLong(is_tensor(object) && is_answered_by_class(tensor_of(object)));
} catch (...) {
  return set_python_error();
}

// (tensor, device): what the tensor says of its device.
PyObject* claim_device(PyObject*, PyObject* args) try {
  PyObject *tensor, *device;
  if (PyArg_ParseTuple(args, "OO:_claim_device", &tensor, &device) == 0) return nullptr;
  OW_CHECK_TYPE(is_tensor(tensor) && is_answered_by_class(tensor_of(tensor)),
                "_claim_device(): expected a tensor whose class has __torch_dispatch__, got ",
                type_name(tensor));
  const PyPtr dict = PyPtr::steal(check(PyObject_GenericGetDict(tensor, nullptr)));
  check(PyDict_SetItemString(dict.get(), kClaim, device));
  return none();
} catch (...) {
  return set_python_error();
}

// Whether the thread leaves classes and modes unasked; gives what was so before.
PyObject* leave_unasked(PyObject*, PyObject* flag) try {
  ThreadState& state = thread_state();
  const DispatchKeySet key = classes_key.key();
  const bool before = state.excluded.has_any(key);
  state.excluded = PyObject_IsTrue(flag) != 0 ? state.excluded | key : state.excluded - key;
  return PyBool_FromLong(before);
} catch (...) {
  return set_python_error();
}

}  // namespace

bool answers_operators(PyTypeObject* type) {
  static PyObject* const name = check(PyUnicode_InternFromString("__torch_dispatch__"));
  PyObject* const found = type == tensor_class ? nullptr : _PyType_Lookup(type, name);
  return found != nullptr && found != _PyType_Lookup(tensor_class, name);
}

void let_class_answer(const Tensor& tensor) {
  static std::once_flag once;
  std::call_once(once, [] { register_fallback(classes_key.key(), ask_classes); });
  tensor.impl()->set_keys(classes_key.key(), true);
}

bool is_answered_by_class(const Tensor& tensor) {
  return tensor.impl()->key_set().has_any(classes_key.keys());
}

PyObject* claimed_device(PyObject* self) {
  PyObject* const dict = reinterpret_cast<TensorObject*>(self)->dict;
  return dict == nullptr ? nullptr : PyDict_GetItemString(dict, kClaim);
}

PyMethodDef dispatch_class_functions[] = {
    {"_is_answered_by_class", is_answered, METH_O, nullptr},
    {"_claim_device", claim_device, METH_VARARGS, nullptr},
    {"_leave_classes_unasked", leave_unasked, METH_O, nullptr},
    {}};

}  // namespace opweave::python
