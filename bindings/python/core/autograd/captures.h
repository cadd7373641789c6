// Refusing in-place writes to what a function captures while opweave.func differentiates it.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef capture_functions[];

// Whether a function that a transform of opweave.func differentiates (grad, vjp, jvp) runs in this
// thread.
bool in_differentiated_function();

}  // namespace opweave::python
