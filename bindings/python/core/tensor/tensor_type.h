// The parts that _C.TensorBase is assembled from; one file each.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

#include "bindings/python/core/functions/binding.h"

namespace opweave::python {

// tensor_operators.cc: `+`, `==`, len(), bool() …
extern PyNumberMethods tensor_number_methods;
PyObject* tensor_compare(PyObject* a, PyObject* b, int op);
// Finds the operators' functions by name among the methods, once these are registered.
void link_tensor_operators();

// indexing.cc: `t[...]`
PyObject* tensor_getitem(PyObject* self, PyObject* index);
int tensor_setitem(PyObject* self, PyObject* index, PyObject* value);

// tensor_attributes.cc, tensor_autograd.cc
extern PyGetSetDef tensor_attributes[];
extern PyGetSetDef tensor_autograd_attributes[];

// Methods that are not generated.
extern PyMethodDef tensor_geometry_methods[];    // tensor_geometry.cc: size, stride, data_ptr …
extern PyMethodDef tensor_value_methods[];       // tensor_values.cc: item, tolist
extern PyMethodDef tensor_conversion_methods[];  // tensor_conversions.cc: to, cpu, type
extern PyMethodDef tensor_autograd_methods[];    // tensor_autograd.cc: requires_grad_, hooks …
extern PyMethodDef tensor_exchange_methods[];    // exchange_methods.cc: numpy, __dlpack__
extern PyMethodDef tensor_memory_methods[];      // tensor_memory.cc: record_stream, pin_memory
PyMethodDef* tensor_dtype_methods();             // tensor_conversions.cc: float, half, …

// tensor_new.cc: Tensor(2, 3), Tensor([1, 2])
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

// The C function of a method of TensorBase that a METH_FASTCALL table registered, or null.
FastFunction find_fast_method(const char* name);

// The Python module whose functions are those of a schema's python_module; pickle finds them there.
std::string home_of(std::string_view python_module);

// Adds functions to a module; `home` is the one that they say they are from. Those of METH_FASTCALL
// tables get a null self, by which the C function that a function shares with a method of the same
// name tells them apart.
void add_functions(PyObject* module, PyMethodDef* defs, std::string_view home = "opweave");

// Adds TensorBase with the generated methods to the module, and the generated functions to it and
// to its submodules (_nn, _linalg …).
void add_tensor_type(PyObject* module);

}  // namespace opweave::python
