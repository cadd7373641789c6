// The module functions behind forward-mode differentiation.
#include "bindings/python/core/autograd/forward.h"

#include "bindings/python/core/functions/handwritten.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/forward/dual.h"

namespace opweave::python {
namespace {

const Tensor& checked_tensor(PyObject* object) {
  OW_CHECK_TYPE(is_tensor(object), "expected a Tensor, got ", type_name(object));
  return tensor_of(object);
}

PyObject* enter(PyObject*, PyObject*) try {
  return wrap(static_cast<int64_t>(enter_tangent_level()->number()));
} catch (...) {
  return set_python_error();
}

PyObject* leave(PyObject*, PyObject*) try {
  leave_tangent_level();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* depth(PyObject*, PyObject*) try {
  return wrap(static_cast<int64_t>(tangent_depth()));
} catch (...) {
  return set_python_error();
}

// (primal, tangent, level) -> a view of the primal that has the tangent.
PyObject* make_dual(PyObject*, PyObject* args) try {
  PyObject *primal = nullptr, *tangent = nullptr;
  long long level = 0;
  if (PyArg_ParseTuple(args, "OOL", &primal, &tangent, &level) == 0) return nullptr;
  return wrap(
      make_dual(checked_tensor(primal), checked_tensor(tangent), open_tangent_level(level)));
} catch (...) {
  return set_python_error();
}

// (tensor, level) -> its tangent, or None.
PyObject* tangent(PyObject*, PyObject* args) try {
  PyObject* tensor = nullptr;
  int level = 0;
  if (PyArg_ParseTuple(args, "Oi", &tensor, &level) == 0) return nullptr;
  Tensor found = tangent_of(checked_tensor(tensor), level);
  if (!found.defined()) Py_RETURN_NONE;
  return wrap(std::move(found));
} catch (...) {
  return set_python_error();
}

// tensor -> the same without history in autograd, but with its tangents.
PyObject* detach(PyObject*, PyObject* tensor) try {
  return wrap(detached_with_tangents(checked_tensor(tensor)));
} catch (...) {
  return set_python_error();
}

std::vector<Tensor> tensors_of(PyObject* list) {
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    tensors.push_back(checked_tensor(PyList_GET_ITEM(list, i)));
  }
  return tensors;
}

// tensor -> what a transform differentiates by in its place.
PyObject* input(PyObject*, PyObject* tensor) try {
  return wrap(transform_input(checked_tensor(tensor)));
} catch (...) {
  return set_python_error();
}

// tensors -> the tensors without a history that only leaves of transforms have a part in.
PyObject* release(PyObject*, PyObject* tensors) try {
  OW_CHECK_TYPE(PyList_Check(tensors), "expected a list of tensors, got ", type_name(tensors));
  return wrap(released(tensors_of(tensors)));
} catch (...) {
  return set_python_error();
}

// (tensor, tangent, level) -> the result with its tangent.
PyObject* attach(PyObject*, PyObject* args) try {
  PyObject *tensor = nullptr, *tangent = nullptr;
  long long level = 0;
  if (PyArg_ParseTuple(args, "OOL", &tensor, &tangent, &level) == 0) return nullptr;
  return wrap(
      with_tangent(checked_tensor(tensor), checked_tensor(tangent), open_tangent_level(level)));
} catch (...) {
  return set_python_error();
}

// tensor -> the highest level that it has a tangent of, and operators see; 0: none.
PyObject* highest_level(PyObject*, PyObject* tensor) try {
  return wrap(static_cast<int64_t>(adopted_tangent_level(recorded(checked_tensor(tensor)))));
} catch (...) {
  return set_python_error();
}

// Makes operators see tangents up to this level; returns the previous one.
PyObject* set_limit(PyObject*, PyObject* limit) try {
  const long number = PyLong_AsLong(limit);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  const int32_t previous = tangent_limit();
  set_tangent_limit(static_cast<int32_t>(number));
  return wrap(static_cast<int64_t>(previous));
} catch (...) {
  return set_python_error();
}

// level -> how many tensors carry one of its tangents.
PyObject* carriers(PyObject*, PyObject* level) try {
  const long long number = PyLong_AsLongLong(level);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return wrap(static_cast<int64_t>(open_tangent_level(number)->carriers()));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef forward_functions[] = {
    {"_forward_enter", enter, METH_NOARGS, nullptr},
    {"_forward_leave", leave, METH_NOARGS, nullptr},
    {"_forward_depth", depth, METH_NOARGS, nullptr},
    {"_make_dual", make_dual, METH_VARARGS, nullptr},
    {"_tangent", tangent, METH_VARARGS, nullptr},
    {"_detach_history", detach, METH_O, nullptr},
    {"_transform_input", input, METH_O, nullptr},
    {"_released", release, METH_O, nullptr},
    {"_attach_tangent", attach, METH_VARARGS, nullptr},
    {"_tangent_level", highest_level, METH_O, nullptr},
    {"_set_forward_limit", set_limit, METH_O, nullptr},
    {"_tangent_carriers", carriers, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace opweave::python
