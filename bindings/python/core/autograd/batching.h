// The module functions behind opweave.func: entering and leaving vmap, and batched tensors.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef batching_functions[];

}  // namespace opweave::python
