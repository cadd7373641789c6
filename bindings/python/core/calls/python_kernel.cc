// Kernels written in Python.
#include "bindings/python/core/calls/python_kernel.h"

#include <memory>

#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/calls/python_call.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/shared_object.h"

namespace opweave::python {
namespace {

thread_local DispatchKeySet last_keys;

struct Installed {
  OperatorEntry* entry;
  DispatchKey key;
  OperatorEntry::SavedKernel former;
};
void restore_kernel(PyObject* capsule) {
  const std::unique_ptr<Installed> installed(
      static_cast<Installed*>(PyCapsule_GetPointer(capsule, nullptr)));
  installed->entry->restore_kernel(installed->key, std::move(installed->former));
}

}  // namespace

DispatchKeySet called_keys() { return last_keys; }

BoxedKernel python_kernel(PyObject* callable, bool pass_operator) {
  return [function = SharedObject(callable), pass_operator](const OperatorEntry& op,
                                                            DispatchKeySet keys, Stack& stack) {
    const AcquireGil gil;
    last_keys = keys;
    const BoxedFace& schema = schema_of(op);
    const PyPtr self = pass_operator ? PyPtr::steal(wrap(const_cast<OperatorEntry&>(op))) : PyPtr();
    const PythonCall call = to_python_call(schema, stack, self.get());
    const PyPtr result = PyPtr::steal(
        check(interpreted(PyObject_Call, function.get(), call.args.get(), call.kwargs.get())));
    from_python_result(result.get(), op, stack);
  };
}

// With None in the place of a function calls pass the key by.
PyObject* install_python_kernel(OperatorEntry& entry, const BoxedFace&, DispatchKey key,
                                PyObject* function) {
  OW_CHECK_TYPE(function == Py_None || PyCallable_Check(function) != 0,
                "a kernel has to be callable, got ", type_name(function));
  auto installed = std::make_unique<Installed>(Installed{&entry, key, entry.save_kernel(key)});
  PyPtr capsule = PyPtr::steal(check(PyCapsule_New(installed.get(), nullptr, restore_kernel)));
  installed.release();  // the capsule's
  if (function == Py_None) {
    entry.restore_kernel(key, {});
  } else {
    entry.set_boxed_kernel(key, python_kernel(function, /*pass_operator=*/false));
  }
  return capsule.release();
}

}  // namespace opweave::python
