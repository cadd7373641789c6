// The module functions that read and change settings: default dtype, threads, seeds.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef setting_functions[];
// Of the whole process.
extern PyMethodDef process_functions[];
// Of autocast.
extern PyMethodDef autocast_functions[];

}  // namespace opweave::python
