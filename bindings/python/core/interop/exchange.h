// Tensors that share memory with NumPy arrays and with everything that speaks DLPack. NumPy itself
// is neither linked nor imported until numpy() is called.
#pragma once

#include <Python.h>

#include <optional>

#include "runtime/core/tensor.h"

namespace opweave::python {

// The dtype of a NumPy array or scalar (of anything with NumPy's array interface); nothing for
// other objects. Throws for dtypes that have no counterpart.
std::optional<ScalarType> dtype_of_array(PyObject* object);
// A tensor over the memory of a NumPy array or scalar, which it keeps alive.
std::optional<Tensor> tensor_from_array(PyObject* object);
bool is_numpy_array(PyObject* object);

// A copy with another dtype.
Tensor cast_copy(const Tensor& tensor, std::optional<ScalarType> dtype);

PyObject* to_numpy(PyObject* self, bool force);
PyObject* to_dlpack(const Tensor& tensor);
// From an object with __dlpack__, or from its capsule.
Tensor from_dlpack(PyObject* object);

}  // namespace opweave::python
