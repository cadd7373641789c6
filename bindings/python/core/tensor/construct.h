// Tensors from Python data.
#pragma once

#include <Python.h>

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// A new CPU tensor of the values of nested sequences, numbers, NumPy arrays and scalars. The dtype
// is inferred when not given: bool, int64 or the default float, or what arrays among the data have.
Tensor tensor_from_data(PyObject* data, std::optional<ScalarType> dtype);

// opweave.tensor, as_tensor, from_numpy …, for the module.
extern PyMethodDef construct_functions[];
// opweave.asarray, frombuffer.
extern PyMethodDef sharing_functions[];

}  // namespace opweave::python
