// Between Python objects and boxed values, without a schema.
#include "bindings/python/core/calls/boxed_face.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/opaque.h"
#include "bindings/python/core/objects/sequence_items.h"
#include "runtime/dispatch/boxed_scalar.h"

namespace opweave::python {
namespace {

struct Wrapper {
  PyObject* operator()(std::monostate) const { return none(); }
  PyObject* operator()(const Tensor& v) const { return wrap(v); }
  PyObject* operator()(bool v) const { return wrap(v); }
  PyObject* operator()(int64_t v) const { return wrap(v); }
  PyObject* operator()(double v) const { return wrap(v); }
  PyObject* operator()(const std::string& v) const {
    return check(PyUnicode_FromStringAndSize(v.data(), static_cast<Py_ssize_t>(v.size())));
  }
  PyObject* operator()(const std::vector<int64_t>& v) const { return list(v); }
  PyObject* operator()(const std::vector<double>& v) const { return list(v); }
  PyObject* operator()(const std::vector<bool>& v) const { return list(v); }
  PyObject* operator()(const std::vector<Tensor>& v) const { return list(v); }
  PyObject* operator()(const Object& v) const {
    if (is_boxed_scalar(v)) return wrap(IValue(v).to_scalar());
    return opaque_type(v.type).wrap(v.value.get());
  }
  template <class Constant>
  PyObject* operator()(const Constant& v) const {
    return wrap(v);
  }
  template <class T>
  PyObject* list(const std::vector<T>& values) const {
    PyPtr list = PyPtr::steal(check(PyList_New(static_cast<Py_ssize_t>(values.size()))));
    Py_ssize_t i = 0;
    for (const T& v : values) PyList_SET_ITEM(list.get(), i++, wrap(v));
    return list.release();
  }
};

template <class T, class Convert>
IValue to_list(PyObject* tuple, Convert convert) {
  std::vector<T> values;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    values.push_back(convert(PyTuple_GET_ITEM(tuple, i)));
  }
  return values;
}

Tensor to_tensor_or_undefined(PyObject* o) {
  if (o == Py_None) return {};
  OW_CHECK_TYPE(is_tensor(o), "expected a Tensor in a list of tensors, but got ", type_name(o));
  return tensor_of(o);
}

IValue sequence_to_ivalue(PyObject* sequence) {
  const PyPtr owner = as_tuple(sequence);
  PyObject* list = owner.get();
  PyObject* first = PyTuple_GET_SIZE(list) > 0 ? PyTuple_GET_ITEM(list, 0) : Py_None;
  if (is_tensor(first) || first == Py_None) return to_list<Tensor>(list, to_tensor_or_undefined);
  if (is_bool(first)) return to_list<bool>(list, to_bool);
  if (is_int(first)) return to_list<int64_t>(list, to_int64);
  return to_list<double>(list, to_double);
}

}  // namespace

PyObject* wrap(const IValue& value) { return std::visit(Wrapper(), value.value()); }

IValue to_ivalue(PyObject* o) {
  if (o == Py_None) return {};
  if (is_tensor(o)) return tensor_of(o);
  if (is_bool(o)) return to_bool(o);
  if (is_int(o) || is_complex(o)) return to_scalar(o);
  if (PyUnicode_Check(o)) return std::string(to_string_view(o));
  if (is_list(o)) return sequence_to_ivalue(o);
  if (is_dtype_object(o)) return to_dtype(o);
  if (is_layout(o)) return to_layout(o);
  if (is_device_object(o)) return to_device(o);
  if (is_memory_format(o)) return to_memory_format(o);
  if (const OpaqueType* type = opaque_type_of(o)) {
    return IValue(Object{type->name, type->unwrap(o)});
  }
  OW_CHECK_TYPE(is_real(o), "a value of type ", type_name(o), " cannot be passed to an operator");
  return to_double(o);
}

}  // namespace opweave::python
