// Kernels written in Python.
#pragma once

#include <Python.h>

#include "bindings/python/core/calls/boxed_face.h"
#include "runtime/dispatch/operator.h"

namespace opweave::python {

// What calls `callable` with the operator's arguments, after the _C._Operator where that is asked
// for.
BoxedKernel python_kernel(PyObject* callable, bool pass_operator);
// The keys of the last call in this thread that went to such a kernel: what it asks for first.
DispatchKeySet called_keys();

// Makes `function` the kernel for the key. Returns a capsule that puts the former kernel back when
// it is destroyed.
PyObject* install_python_kernel(OperatorEntry& entry, const BoxedFace& schema, DispatchKey key,
                                PyObject* function);

}  // namespace opweave::python
