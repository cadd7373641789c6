// The module functions about targets: loading them, their devices and their memory.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef target_functions[];

}  // namespace opweave::python
