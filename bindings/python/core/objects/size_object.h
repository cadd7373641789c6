// opweave.Size: the tuple of a tensor's sizes.
#pragma once

#include <Python.h>

#include "runtime/core/tensor/sizes_and_strides.h"

namespace opweave::python {

extern PyTypeObject size_type;

// New references.
PyObject* wrap_size(IntList sizes);
PyObject* wrap_tuple(IntList values);

void add_size_type(PyObject* module);

}  // namespace opweave::python
