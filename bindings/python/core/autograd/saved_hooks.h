// Python's hooks on saved tensors, and what they keep.
#pragma once

#include <Python.h>

#include "bindings/python/core/autograd/hooks.h"
#include "runtime/autograd/saved_tensor.h"

namespace opweave::python {

// What a pack hook returned, and the function that makes the tensor of it again. Each has
// references of its own, so that the cycle collector can tell whose they are.
struct PyPackedTensor final : PackedTensor {
  PyPackedTensor(PyObject* packed, PyObject* unpack) : packed(packed), function(unpack) {}
  Tensor unpack() override;

  SharedObject packed, function;
};

// Visits what a hook of Python's keeps, which nothing but `saved` refers to.
int visit_packed(const SavedTensor& saved, visitproc visit, void* arg);

// _C._push_saved_tensors_hooks(pack, unpack), _C._pop_saved_tensors_hooks()
PyObject* push_saved_hooks(PyObject* module, PyObject* args);
PyObject* pop_saved_hooks(PyObject* module, PyObject* none);

}  // namespace opweave::python
