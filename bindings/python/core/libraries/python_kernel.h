// Kernels written in Python, and operators defined from Python.
#pragma once

#include <Python.h>

#include "bindings/python/core/libraries/boxed_face.h"
#include "runtime/dispatch/operator.h"

namespace opweave::python {

// The schema of a registered operator, read once. Under the interpreter lock.
const BoxedFace& schema_of(const OperatorEntry& entry);
PyObject* wrap(OperatorEntry& entry);  // the _C._Operator
// What a call left on the stack: None, a value, or a tuple.
PyObject* wrap_results(const Stack& stack);

// Makes `function` the kernel for the key. Returns a capsule that puts the former kernel back when
// it is destroyed.
PyObject* install_python_kernel(OperatorEntry& entry, const BoxedFace& schema, DispatchKey key,
                                PyObject* function);

}  // namespace opweave::python
