// Libraries that speak the stable interface.
#pragma once

#include <Python.h>

namespace opweave::python {

// _load_stable_library(path) -> (name, ((operator, place, internal), …)); None where the shared
// library is none of these. ImportError where this core is not what it needs; OSError where it
// cannot be loaded.
PyObject* load_stable_library(PyObject*, PyObject* path) noexcept;

}  // namespace opweave::python
