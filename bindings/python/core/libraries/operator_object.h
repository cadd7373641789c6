// _C._Operator: one operator of the registry as a Python callable, and the registration of kernels
// and operators from Python. The package's ops.py and library.py are built on it.
#pragma once

#include <Python.h>

namespace opweave::python {

void add_operator_type(PyObject* module);
extern PyMethodDef library_functions[];

}  // namespace opweave::python
