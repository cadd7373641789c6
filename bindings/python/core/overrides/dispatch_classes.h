// Subclasses of Tensor with `__torch_dispatch__`, which answer operators below autograd.
#pragma once

#include <Python.h>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// Whether a class says what operators do with its tensors.
bool answers_operators(PyTypeObject* type);
// From now on operators that are given this tensor ask the class of its object.
void let_class_answer(const Tensor& tensor);
// Whether they do.
bool is_answered_by_class(const Tensor& tensor);

// What such a tensor says of its device: it has no data, and so is a meta tensor. Null where it
// says nothing of its own; borrowed.
PyObject* claimed_device(PyObject* self);

extern PyMethodDef dispatch_class_functions[];

}  // namespace opweave::python
