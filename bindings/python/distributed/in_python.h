// Calls of Python from threads of C++.
#pragma once

#include <pybind11/pybind11.h>

#include "bindings/python/core/objects/errors.h"

namespace opweave::python {

// Calls Python; what it raises goes on through C++.
template <class Call>
auto in_python(Call call) {
  const pybind11::gil_scoped_acquire gil;
  try {
    return call();
  } catch (pybind11::error_already_set& error) {
    error.restore();
    throw PythonException();
  }
}

}  // namespace opweave::python
