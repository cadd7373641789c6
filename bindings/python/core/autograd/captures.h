// Refusing in-place writes to what a function captures while opweave.func differentiates it.
#pragma once

#include <Python.h>

#include <string_view>

#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

extern PyMethodDef capture_functions[];

// Whether a function that a transform of opweave.func differentiates (grad, vjp, jvp) runs in this
// thread.
bool in_differentiated_function();

// RuntimeError where such a function would take a tensor's elements out of sight of the derivative:
// one with a tangent, or one that the transform or the function computed by.
void check_not_followed(const Tensor& t, std::string_view what);

}  // namespace opweave::python
