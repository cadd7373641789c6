// Autocast's settings of this thread, for opweave.amp.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef autocast_functions[];

}  // namespace opweave::python
