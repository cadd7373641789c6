// Modes with `__torch_dispatch__`, which see the operators that a thread calls below autograd.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef dispatch_mode_functions[];

}  // namespace opweave::python
