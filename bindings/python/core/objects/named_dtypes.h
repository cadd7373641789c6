// Dtypes of PyTorch that can be named and have no tensors: dtypes/named.def.
#pragma once

#include <Python.h>

#include <string_view>

namespace opweave::python {

// Adds them to the module, which has `dtype` already.
void add_named_dtypes(PyObject* module);

// Throws NotImplementedError for one of them, which stands where a tensor's dtype is asked for.
void refuse_named_dtype(PyObject* object);

// The dtype of complex numbers whose parts have this one, borrowed; nullptr where there is none.
PyObject* complex_of(std::string_view real);

}  // namespace opweave::python
