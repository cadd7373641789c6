// The module functions behind opweave.func: entering and leaving vmap, batched tensors, graphs.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef batching_functions[];

}  // namespace opweave::python
