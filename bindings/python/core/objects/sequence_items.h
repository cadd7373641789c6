// Items of lists and tuples, read so that a list may change meanwhile: what converts an item may be
// Python code that empties the list.
#pragma once

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {

// Numbers whose conversion runs no code of anybody's.
inline bool is_builtin_number(PyObject* object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object);
}

// Item i of what PySequence_Fast gives, borrowed: for what runs no Python code.
inline PyObject* borrowed_item(PyObject* sequence, Py_ssize_t i) {
  OW_CHECK(i < PySequence_Fast_GET_SIZE(sequence), "a list has changed while it was read");
  return PySequence_Fast_GET_ITEM(sequence, i);
}

// The same, owned.
inline PyPtr item_of(PyObject* sequence, Py_ssize_t i) {
  return PyPtr::borrow(borrowed_item(sequence, i));
}

// A tuple, or a list as it is now.
inline PyPtr as_tuple(PyObject* sequence) {
  if (PyTuple_Check(sequence)) return PyPtr::borrow(sequence);
  return PyPtr::steal(check(PySequence_Tuple(sequence)));
}

}  // namespace opweave::python
