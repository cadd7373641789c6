// opweave.Size: a tuple of ints whose slices, sums and multiples are Sizes again.
#include "bindings/python/core/objects/size_object.h"

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

PyObject* fill(PyObject* tuple, IntList values) {
  PyPtr result = PyPtr::steal(check(tuple));
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), check(PyLong_FromLongLong(values[i])));
  }
  return result.release();
}

// A Size of the items of a plain tuple, which is consumed; other objects pass through.
PyObject* from_tuple(PyObject* tuple) {
  if (tuple == nullptr || !PyTuple_CheckExact(tuple)) return tuple;
  const PyPtr owner = PyPtr::steal(tuple);
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  PyObject* result = size_type.tp_alloc(&size_type, n);
  for (Py_ssize_t i = 0; result != nullptr && i < n; ++i) {
    PyTuple_SET_ITEM(result, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  }
  return result;
}

// A new Size, whose items have to be whole numbers and become ints.
PyObject* with_ints(PyPtr self) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(self.get(), i);
    if (PyLong_Check(item)) continue;
    OW_CHECK_TYPE(is_int(item), "Size() takes an iterable of 'int' (item ", i, " is '",
                  type_name(item), "')");
    Py_SETREF(PyTuple_GET_ITEM(self.get(), i), check(PyLong_FromLongLong(to_int64(item))));
  }
  return self.release();
}

PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) try {
  return with_ints(PyPtr::steal(check(PyTuple_Type.tp_new(type, args, kwargs))));
} catch (...) {
  return set_python_error();
}

PyObject* size_repr(PyObject* self) try {
  std::string text = printed_package() + ".Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    if (i > 0) text += ", ";
    const PyPtr item = PyPtr::steal(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    if (!item) return nullptr;
    text += PyUnicode_AsUTF8(item.get());
  }
  return PyUnicode_FromString((text + "])").c_str());
} catch (...) {
  return set_python_error();
}

// The items are looked at again: the other tuple may hold anything.
PyObject* size_concat(PyObject* a, PyObject* b) try {
  return with_ints(PyPtr::steal(check(from_tuple(PyTuple_Type.tp_as_sequence->sq_concat(a, b)))));
} catch (...) {
  return set_python_error();
}
// Python asks this before a tuple on the left concatenates by itself, which gives a tuple.
PyObject* size_add(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return size_concat(a, b);
}
PyObject* size_repeat(PyObject* a, Py_ssize_t n) {
  return from_tuple(PyTuple_Type.tp_as_sequence->sq_repeat(a, n));
}
PyObject* size_subscript(PyObject* self, PyObject* index) {
  PyObject* item = PyTuple_Type.tp_as_mapping->mp_subscript(self, index);
  return PySlice_Check(index) ? from_tuple(item) : item;
}

PyObject* size_numel(PyObject* self, PyObject*) try {
  int64_t n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) n *= to_int64(PyTuple_GET_ITEM(self, i));
  return PyLong_FromLongLong(n);
} catch (...) {
  return set_python_error();
}

PyObject* size_reduce(PyObject* self, PyObject*) try {
  const PyPtr items = PyPtr::steal(PySequence_List(self));
  return items ? Py_BuildValue("O(O)", &size_type, items.get()) : nullptr;
} catch (...) {
  return set_python_error();
}

PyNumberMethods number_methods;
PySequenceMethods sequence_methods;
PyMappingMethods mapping_methods;
PyMethodDef methods[] = {
    {"numel", size_numel, METH_NOARGS, "The number of elements of a tensor of this size."},
    {"__reduce__", size_reduce, METH_NOARGS, nullptr},
    {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.Size";
  type.tp_repr = size_repr;
  type.tp_as_number = &number_methods;
  type.tp_as_sequence = &sequence_methods;
  type.tp_as_mapping = &mapping_methods;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_methods = methods;
  type.tp_new = size_new;
  return type;
}

}  // namespace

PyTypeObject size_type = make_type();

PyObject* wrap_size(IntList sizes) {
  return fill(size_type.tp_alloc(&size_type, static_cast<Py_ssize_t>(sizes.size())), sizes);
}
PyObject* wrap_tuple(IntList values) {
  return fill(PyTuple_New(static_cast<Py_ssize_t>(values.size())), values);
}

void add_size_type(PyObject* module) {
  sequence_methods = *PyTuple_Type.tp_as_sequence;
  number_methods.nb_add = size_add;
  sequence_methods.sq_concat = size_concat;
  sequence_methods.sq_repeat = size_repeat;
  mapping_methods = *PyTuple_Type.tp_as_mapping;
  mapping_methods.mp_subscript = size_subscript;
  size_type.tp_base = &PyTuple_Type;
  check(PyType_Ready(&size_type));
  check(PyModule_AddType(module, &size_type));
}

}  // namespace opweave::python
