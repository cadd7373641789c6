// The Python objects of autograd nodes: what `grad_fn` gives.
#pragma once

#include <Python.h>

#include "runtime/autograd/node.h"

namespace opweave::python {

// One object per node while anybody holds it; of a class named like the node ("AddBackward0"). A
// custom function's node is its context. None for no node.
PyObject* wrap(const intrusive_ptr<Node>& node);

// What nodes and contexts of custom functions share.
PyObject* node_next_functions(Node& node);
PyObject* node_register_hook(Node& node, PyObject* callable);
PyObject* node_register_prehook(Node& node, PyObject* callable);

void add_node_type(PyObject* module);

}  // namespace opweave::python
