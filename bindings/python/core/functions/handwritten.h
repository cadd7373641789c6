// Shorthand for methods and functions that are written by hand on the generated ones' machinery.
#pragma once

#include "bindings/python/core/functions/binding.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/storage_object.h"

namespace opweave::python {

// A METH_NOARGS or getter body that may throw, as a function from Tensor to a wrappable value.
template <auto kBody>
PyObject* no_args(PyObject* self, PyObject*) try {
  return wrap(kBody(tensor_of(self)));
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python
