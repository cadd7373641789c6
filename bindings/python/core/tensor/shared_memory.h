// Storages in memory that other processes map, as functions of opweave._C.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef shared_memory_functions[];

}  // namespace opweave::python
