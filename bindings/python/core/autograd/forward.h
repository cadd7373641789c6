// The module functions behind forward-mode differentiation: levels, and the tangents of tensors.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef forward_functions[];

}  // namespace opweave::python
