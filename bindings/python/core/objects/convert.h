// Checks and conversions of single Python objects: what the argument tables and the handwritten
// functions share. The checks never fail and never run Python code beyond a type's own slots.
#pragma once

#include <Python.h>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "runtime/core/numbers/scalar.h"

namespace opweave::python {

// int and what acts as one: NumPy's integers, zero-dim integral tensors. Not bool.
bool is_int(PyObject* object);
// The same, and integral tensors of one element: what a size or a dimension may be, and no index.
bool is_size(PyObject* object);
// float, int, bool and what acts as one of them.
bool is_real(PyObject* object);
// complex, and NumPy's.
bool is_complex(PyObject* object);
// A Python number: bool, int, float, complex, NumPy's scalars, zero-dim tensors that need no
// gradient.
bool is_number(PyObject* object);
// The same without tensors: what takes part in `tensor + x` as a number.
bool is_plain_number(PyObject* object);
bool is_bool(PyObject* object);  // bool and NumPy's bool
inline bool is_list(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

// ValueError when the number does not fit 64 bits.
int64_t to_int64(PyObject* object);
double to_double(PyObject* object);
bool to_bool(PyObject* object);
Scalar to_scalar(PyObject* object);
std::string_view to_string_view(PyObject* object);  // lives as long as the object

// The value of a tensor of one element, wherever it lives. Defined in autograd/host_values.cc: an
// operator copies it to the host, and a vmap or a derivative may refuse to give it.
Scalar item(const Tensor& tensor);
PyObject* wrap(const Scalar& value);

// "int", "Tensor", "numpy.ndarray": as error messages call the type of an object.
inline const char* type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

}  // namespace opweave::python
