// The boxed arguments of an operator as those of a Python function, and its result as the
// operator's.
#pragma once

#include <Python.h>

#include "bindings/python/core/calls/boxed_face.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/dispatch/operator.h"

namespace opweave::python {

struct PythonCall {
  PyPtr args, kwargs;
};

// Keyword-only arguments by keyword, all others by position, after `first` if that is not null.
PythonCall to_python_call(const BoxedFace& schema, const Stack& stack, PyObject* first);

// The same without what the caller need not have said: keywords that have their default, and
// positional arguments at the end that do.
PythonCall to_short_call(const OperatorEntry& op, const Stack& stack);

// Replaces the stack by what the function returned; TypeError where that is not what the operator
// returns.
void from_python_result(PyObject* result, const OperatorEntry& op, Stack& stack);

}  // namespace opweave::python
