// What opweave.serialization calls: _unpickle, _rename_globals and _storage_of_buffer.
#pragma once

#include <Python.h>

namespace opweave::python {

extern PyMethodDef pickling_functions[];

}  // namespace opweave::python
