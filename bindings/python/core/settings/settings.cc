// The module functions that read and change settings, and small queries.
#include "bindings/python/core/settings/settings.h"

#include <array>
#include <cstring>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/generator_object.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::python {
namespace {

PyObject* set_tensor_class(PyObject* module, PyObject* cls) try {
  OW_CHECK_TYPE(PyType_Check(cls) &&
                    PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &tensor_base_type),
                "expected a subclass of TensorBase");
  tensor_class = reinterpret_cast<PyTypeObject*>(Py_NewRef(cls));
  if (module != nullptr) check(PyModule_AddObjectRef(module, "Tensor", cls));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* is_tensor_object(PyObject*, PyObject* object) { return wrap(is_tensor(object)); }

ScalarType dtype_argument(PyObject* object, const char* function) {
  OW_CHECK_TYPE(is_dtype(object), function, "(): expected opweave.dtype, got ", type_name(object));
  return to_dtype(object);
}

PyObject* get_default(PyObject*, PyObject*) { return wrap(default_dtype()); }
PyObject* set_default(PyObject*, PyObject* dtype) try {
  set_default_dtype(dtype_argument(dtype, "set_default_dtype"));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* get_threads(PyObject*, PyObject*) { return wrap(static_cast<int64_t>(num_threads())); }
PyObject* set_threads(PyObject*, PyObject* count) try {
  OW_CHECK(is_int(count), "set_num_threads expects an int, but got ", type_name(count));
  const int64_t n = to_int64(count);
  OW_CHECK(n > 0 && n < INT32_MAX, "set_num_threads expects a positive integer");
  set_num_threads(static_cast<int>(n));
  return none();
} catch (...) {
  return set_python_error();
}

template <ScalarType (*kFunction)(ScalarType, ScalarType)>
PyObject* of_two_dtypes(PyObject*, PyObject* args) try {
  PyObject *a, *b;
  if (PyArg_ParseTuple(args, "OO:promote_types", &a, &b) == 0) return nullptr;
  return wrap(kFunction(dtype_argument(a, "promote_types"), dtype_argument(b, "promote_types")));
} catch (...) {
  return set_python_error();
}

PyObject* can_cast_dtypes(PyObject*, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"from_", "to", nullptr};
  PyObject *from, *to;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "OO:can_cast", const_cast<char**>(names), &from,
                                  &to) == 0) {
    return nullptr;
  }
  return wrap(can_cast(dtype_argument(from, "can_cast"), dtype_argument(to, "can_cast")));
} catch (...) {
  return set_python_error();
}

void add_operand(opweave::ResultType& result, PyObject* object) {
  if (is_tensor(object)) {
    result.add(tensor_of(object));
  } else {
    OW_CHECK_TYPE(is_plain_number(object), "result_type(): expected a Tensor or a number, but got ",
                  type_name(object));
    result.add(to_scalar(object));
  }
}

PyObject* result_type(PyObject*, PyObject* args) try {
  PyObject *a, *b;
  if (PyArg_ParseTuple(args, "OO:result_type", &a, &b) == 0) return nullptr;
  opweave::ResultType result;
  add_operand(result, a);
  add_operand(result, b);
  return wrap(result.result());
} catch (...) {
  return set_python_error();
}

// --- random numbers ------------------------------------------------------------------------------
PyObject* get_default_generator(PyObject*, PyObject* device) try {
  return wrap(default_generator(device == Py_None ? default_device() : to_device(device)));
} catch (...) {
  return set_python_error();
}

// Seeds the default generators of all devices.
PyObject* seed_all(PyObject*, PyObject* seed) try {
  const uint64_t value = PyLong_AsUnsignedLongLongMask(seed);
  if (PyErr_Occurred() != nullptr) throw_python_exception();
  manual_seed(value);
  return none();
} catch (...) {
  return set_python_error();
}

// _tensor_from_storage(storage, dtype, offset, size, stride): what unpickling calls, so every
// number is checked.
PyObject* tensor_from_storage(PyObject*, PyObject* args) try {
  PyObject *storage, *dtype, *size, *stride;
  long long offset;
  if (PyArg_ParseTuple(args, "O!OLO!O!", &storage_type, &storage, &dtype, &offset, &PyTuple_Type,
                       &size, &PyTuple_Type, &stride) == 0) {
    return nullptr;
  }
  const ScalarType type = dtype_argument(dtype, "_tensor_from_storage");
  DimVector sizes, strides;
  OW_CHECK(PyTuple_GET_SIZE(size) == PyTuple_GET_SIZE(stride),
           "sizes and strides differ in length");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(size); ++i) {
    sizes.push_back(to_int64(PyTuple_GET_ITEM(size, i)));
    strides.push_back(to_int64(PyTuple_GET_ITEM(stride, i)));
    OW_CHECK(sizes.back() >= 0, "negative size ", sizes.back());
  }
  const Storage& bytes = storage_of(storage);
  return wrap(Tensor(
      make_intrusive<TensorImpl>(bytes, type, bytes->device(), sizes, strides, int64_t{offset})));
} catch (...) {
  return set_python_error();
}

PyObject* get_package(PyObject*, PyObject*) {
  return PyUnicode_FromString(printed_package().c_str());
}
// The types of this module that are no classes: they say where they are from by their names alone.
void rename_types() {
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave._C")));
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(PyModule_GetDict(module.get()), &at, &name, &value) != 0;) {
    auto* type = reinterpret_cast<PyTypeObject*>(value);
    if (PyType_Check(value) == 0 || PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) != 0) continue;
    const std::string_view before = type->tp_name;
    const size_t dot = before.find('.');
    if (dot == std::string_view::npos) continue;
    const std::string renamed = printed_package() + std::string(before.substr(dot));
    type->tp_name = strdup(renamed.c_str());  // as long as the type, which is never freed
    PyType_Modified(type);
  }
}

PyObject* set_package(PyObject*, PyObject* name) try {
  set_printed_package(std::string(to_string_view(name)));
  rename_types();
  return none();
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef setting_functions[] = {
    {"_printed_package", get_package, METH_NOARGS, nullptr},
    {"_set_printed_package", set_package, METH_O, nullptr},
    {"_set_tensor_class", set_tensor_class, METH_O, nullptr},
    {"is_tensor", is_tensor_object, METH_O, "Whether an object is an opweave.Tensor."},
    {"get_default_dtype", get_default, METH_NOARGS, "The dtype of floats from Python."},
    {"set_default_dtype", set_default, METH_O, "Sets the dtype of floats from Python."},
    {"get_num_threads", get_threads, METH_NOARGS, "How many threads kernels use."},
    {"set_num_threads", set_threads, METH_O, "Sets how many threads kernels use."},
    {"promote_types", of_two_dtypes<promote_types>, METH_VARARGS,
     "The smallest dtype to which both convert."},
    {"can_cast", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(can_cast_dtypes)),
     METH_VARARGS | METH_KEYWORDS, "Whether a result of one dtype may be written to another."},
    {"result_type", result_type, METH_VARARGS, "The dtype of an operation on two operands."},
    {"_default_generator", get_default_generator, METH_O, nullptr},
    {"_manual_seed", seed_all, METH_O, nullptr},
    {"_tensor_from_storage", tensor_from_storage, METH_VARARGS, nullptr},
    {}};

}  // namespace opweave::python
