// Tensors that share memory with NumPy arrays and with everything that speaks DLPack. NumPy itself
// is neither linked nor imported until numpy() is called.
#pragma once

#include <Python.h>

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// The dtype of a NumPy array or scalar (of anything with NumPy's array interface); nothing for
// other objects. Throws for dtypes that have no counterpart.
std::optional<ScalarType> dtype_of_array(PyObject* object);
// A tensor over the memory of a NumPy array or scalar, which it keeps alive.
std::optional<Tensor> tensor_from_array(PyObject* object);
// An ndarray or an object of a class derived from it: a memmap, a matrix.
bool is_numpy_array(PyObject* object);
bool is_numpy_scalar(PyObject* object);

// A tensor (n) over the memory of an object with Python's buffer protocol, of `count` elements
// (all, if negative) from `offset` bytes on; of the dtype that the buffer names, if none is given.
// The object keeps its memory, and cannot resize it, as long as the storage lives.
Tensor tensor_from_buffer(PyObject* object, std::optional<ScalarType> dtype, int64_t count = -1,
                          int64_t offset = 0);

// A copy with another dtype.
Tensor cast_copy(const Tensor& tensor, std::optional<ScalarType> dtype);

PyObject* to_numpy(PyObject* self, bool force);
// What a capsule of DLPack 1.0 says beside what is in it; those of 0.8 say none of it.
struct ExportFlags {
  bool versioned = false, read_only = false, copied = false;
};
PyObject* to_dlpack(const Tensor& tensor, ExportFlags flags);
// From an object with __dlpack__, or from its capsule, of DLPack 0.8 or 1.
Tensor from_dlpack(PyObject* object);

}  // namespace opweave::python
