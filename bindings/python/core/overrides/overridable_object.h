// _C._Overridable: a function written in Python whose calls may be taken over.
#pragma once

#include <Python.h>

namespace opweave::python {

void add_overridable_type(PyObject* module);

}  // namespace opweave::python
