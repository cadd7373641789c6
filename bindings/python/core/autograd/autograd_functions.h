// The module functions of autograd: backward, gradients, modes, anomaly, saved-tensor hooks.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef autograd_functions[];
// Makes anomaly mode record Python's stack.
void install_anomaly_hooks();

}  // namespace opweave::python
