// TensorObject: the Python object of a tensor, and the way between it and Tensor.
//
// A TensorImpl and its object live and die together:
//   - normally the object owns the tensor (one reference in `tensor`) and the impl points back
//     without owning, so that every wrap() of the impl gives the same object;
//   - when Python drops the object while C++ still holds the tensor, an object that carries state
//     (attributes, weak references, a subclass) is not freed but lent: the impl owns one reference
//     to the object and the object holds the impl in `lent` only. The next wrap() turns it round.
// All of this happens under the interpreter lock.
#pragma once

#include <Python.h>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

struct TensorObject {
  PyObject_HEAD;
  Tensor tensor;     // undefined while lent
  TensorImpl* lent;  // the impl that owns this object, or null
  PyObject* dict;    // made with the first attribute
  PyObject* weakrefs;
};

// The destructor of every tensor class: the metaclass sets it on subclasses too, which makes the
// type check a single comparison.
void tensor_dealloc(PyObject* self) noexcept;
inline bool is_tensor(PyObject* object) { return Py_TYPE(object)->tp_dealloc == &tensor_dealloc; }

// Drops what the object holds, for the collector of cycles. What it visits, tensor_type.cc says.
int tensor_clear(PyObject* self);
// From now on tensors let their objects go.
void install_pyobject_hooks();

// Takes the tensor of a lent object back. RuntimeError for an object that never got a tensor.
Tensor& reclaim_tensor(PyObject* object);

// The tensor of an object for which is_tensor() holds.
inline Tensor& tensor_of(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (!self->tensor.defined()) [[unlikely]]
    return reclaim_tensor(object);
  return self->tensor;
}

// The object of a tensor, as a new reference; made when it has none. None for an undefined tensor.
// Throws PythonException when memory runs out.
PyObject* wrap(Tensor tensor);
// A new object of the class `type` for a tensor that has no object yet.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

// opweave.Tensor, the class of what wrap() makes; set by the package at import.
extern PyTypeObject* tensor_class;
// _C.TensorBase, which holds all methods that are written in C++.
extern PyTypeObject tensor_base_type;

}  // namespace opweave::python
