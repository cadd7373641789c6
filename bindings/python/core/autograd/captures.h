// Refusing in-place writes to what a function captures while opweave.func differentiates it.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef capture_functions[];

}  // namespace opweave::python
