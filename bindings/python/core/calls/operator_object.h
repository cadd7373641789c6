// _C._Operator: one operator of the registry as a Python callable, and the registration of kernels
// for it. The package's ops.py and library.py are built on it.
#pragma once

#include <Python.h>

#include "bindings/python/core/calls/boxed_face.h"
#include "runtime/dispatch/operator.h"

namespace opweave::python {

// The schema of a registered operator, read once. Under the interpreter lock.
const BoxedFace& schema_of(const OperatorEntry& entry);
PyObject* wrap(OperatorEntry& entry);  // the _C._Operator
// What a call left on the stack: None, a value, or a tuple.
PyObject* wrap_results(const Stack& stack);

void add_operator_type(PyObject* module);

}  // namespace opweave::python
