// Modes with `__torch_dispatch__`, which see the operators that a thread calls below autograd.
#pragma once

#include <Python.h>

#include "runtime/dispatch/operator.h"

namespace opweave::python {

// Whether the kernel for these keys is one for all targets, through which autograd differentiates:
// operators that it calls are shown, and not this one.
bool is_made_of_others(const OperatorEntry& op, DispatchKeySet keys);

extern PyMethodDef dispatch_mode_functions[];

}  // namespace opweave::python
