// What the cycle collector has to know about Python objects that autograd holds.
#pragma once

#include <Python.h>

#include "runtime/autograd/node.h"
#include "runtime/core/tensor/tensor_impl.h"

namespace opweave::python {

// Visits the hooks, custom-function contexts and objects of gradients that only `impl` keeps alive.
int traverse_autograd(TensorImpl& impl, visitproc visit, void* arg);
// The same for a node that one reference keeps alive: that of the object which is traversed.
int traverse_graph(const Node& start, visitproc visit, void* arg);

}  // namespace opweave::python
