// What opweave.library, opweave.ops and the tests of libraries are built on: operators by their
// names, operators and functionalities defined from Python, fallbacks, the keys of a thread.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef library_functions[];
// _library_interfaces and _compiler: what a library has to be built for and by.
void add_library_interfaces(PyObject* module);

}  // namespace opweave::python
