// The module functions behind opweave.func: entering and leaving vmap, batched tensors, captures.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef batching_functions[];
extern PyMethodDef capture_functions[];

}  // namespace opweave::python
