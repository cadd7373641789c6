// The constructor Tensor(...), kept from PyTorch's early days: sizes, data or a tensor, in the
// default dtype.
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/functions/operators.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/size_object.h"
#include "bindings/python/core/tensor/construct.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "runtime/autograd/api.h"
#include "runtime/settings/uninitialized.h"

namespace opweave::python {
namespace {

DimVector sizes_of(PyObject* args) {
  DimVector sizes;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    OW_CHECK_TYPE(is_int(item), "new() received an invalid combination of arguments - got ",
                  type_name(item), " at position ", i + 1, ", but expected sizes or data");
    sizes.push_back(to_int64(item));
  }
  return sizes;
}

Tensor unset(IntList sizes) {
  Tensor made = make_tensor(sizes, default_dtype(), host_device());
  if (fills_uninitialized()) operators::fill_(made, uninitialized_pattern(made.dtype()));
  return made;
}

bool is_any_storage(PyObject* object) {
  if (PyList_CheckExact(object) != 0 || PyTuple_CheckExact(object) != 0) return false;
  return is_storage(object) || PyObject_HasAttrString(object, "_untyped_storage") != 0;
}

Tensor over_storage(PyObject* storage) {
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave.storage")));
  const PyPtr function = PyPtr::steal(check(PyObject_GetAttrString(module.get(), "tensor_over")));
  const PyPtr dtype = PyPtr::steal(wrap(default_dtype()));
  const PyPtr made = PyPtr::steal(check(
      interpreted(PyObject_CallFunctionObjArgs, function.get(), storage, dtype.get(), nullptr)));
  return tensor_of(made.get());
}

Tensor construct(PyObject* args) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  PyObject* first = n > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (n == 0) return make_tensor({0}, default_dtype(), host_device());
  if (n == 1 && is_tensor(first)) return operators::alias(tensor_of(first));
  if (n == 1 && PyObject_TypeCheck(first, &size_type)) {
    return unset(sizes_of(first));
  }
  if (n == 1 && is_any_storage(first)) return over_storage(first);
  if (n == 1 && !is_int(first)) return tensor_from_data(first, default_dtype());
  return unset(sizes_of(args));
}

}  // namespace

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) try {
  OW_CHECK_TYPE(type != &tensor_base_type, "Cannot create a TensorBase; use opweave.Tensor");
  const bool has_keywords = kwargs != nullptr && PyDict_GET_SIZE(kwargs) > 0;
  OW_CHECK_TYPE(!has_keywords, type->tp_name,
                "() takes no keyword arguments; use opweave.tensor()");
  return wrap_as(type, construct(args));
} catch (...) {
  return set_python_error("Tensor");
}

}  // namespace opweave::python
