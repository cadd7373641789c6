// The module functions behind opweave.func.
#include "bindings/python/core/autograd/batching.h"

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::python {
namespace {

// The arguments (tensor, number).
struct TensorAndNumber {
  explicit TensorAndNumber(PyObject* args) {
    PyObject* object = nullptr;
    long long n = 0;
    if (PyArg_ParseTuple(args, "OL", &object, &n) == 0) throw_python_exception();
    OW_CHECK_TYPE(is_tensor(object), "expected a Tensor, got ", type_name(object));
    tensor = tensor_of(object);
    number = n;
  }
  Tensor tensor;
  int64_t number;
};

Randomness randomness_named(std::string_view name) {
  if (name == "same") return Randomness::kSame;
  if (name == "different") return Randomness::kDifferent;
  OW_CHECK(name == "error",
           "Only allowed values for randomness are 'error', 'different', or 'same'. Got ", name);
  return Randomness::kError;
}

void run_signal_handlers() {
  const AcquireGil gil;
  check(PyErr_CheckSignals());
}

// (size, randomness) -> the level of the vmap that begins.
PyObject* enter(PyObject*, PyObject* args) try {
  long long size;
  const char* randomness = nullptr;
  if (PyArg_ParseTuple(args, "Ls", &size, &randomness) == 0) return nullptr;
  set_interrupt_check(run_signal_handlers);
  return wrap(push_batch_level(size, randomness_named(randomness)));
} catch (...) {
  return set_python_error();
}

PyObject* leave(PyObject*, PyObject*) try {
  pop_batch_level();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* depth(PyObject*, PyObject*) try {
  return wrap(static_cast<int64_t>(batch_levels().size()));
} catch (...) {
  return set_python_error();
}

// (tensor, level): a tensor whose dimension 0 counts the examples, as one of them.
PyObject* batch(PyObject*, PyObject* args) try {
  const TensorAndNumber a(args);
  return wrap(make_batched(a.tensor, a.number));
} catch (...) {
  return set_python_error();
}

// tensor -> (level, value), (0, tensor) for one that is not batched.
PyObject* value(PyObject*, PyObject* object) try {
  OW_CHECK_TYPE(is_tensor(object), "expected a Tensor, got ", type_name(object));
  const Tensor& t = tensor_of(object);
  const int64_t level = batch_level(t);
  if (level == 0) return check(Py_BuildValue("(iO)", 0, object));
  const PyPtr inner = PyPtr::steal(wrap(Tensor(batched_value(t).value)));
  return check(Py_BuildValue("(LO)", static_cast<long long>(level), inner.get()));
} catch (...) {
  return set_python_error();
}

// (tensor, depth): the examples of the outermost `depth` vmaps as dimensions in front.
PyObject* physical(PyObject*, PyObject* args) try {
  const TensorAndNumber a(args);
  DimVector sizes;
  for (int64_t l = 0; l < a.number; ++l) {
    sizes.push_back(batch_levels().at(static_cast<size_t>(l)).size);
  }
  return wrap(to_physical(a.tensor, sizes));
} catch (...) {
  return set_python_error();
}

PyObject* logical(PyObject*, PyObject* args) try {
  const TensorAndNumber a(args);
  return wrap(from_physical(a.tensor, a.number));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef batching_functions[] = {
    {"_vmap_enter", enter, METH_VARARGS, nullptr},
    {"_vmap_leave", leave, METH_NOARGS, nullptr},
    {"_vmap_depth", depth, METH_NOARGS, nullptr},
    {"_batch", batch, METH_VARARGS, nullptr},
    {"_batch_value", value, METH_O, nullptr},
    {"_to_physical", physical, METH_VARARGS, nullptr},
    {"_from_physical", logical, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace opweave::python
