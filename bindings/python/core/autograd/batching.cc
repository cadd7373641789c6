// The module functions behind opweave.func.
#include "bindings/python/core/autograd/batching.h"

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "runtime/autograd/custom_node.h"
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

// --- the vmaps that run, as an object
constexpr char kLevels[] = "opweave._C.vmap_levels";

PyObject* wrap_levels(VmapsPtr open) {
  if (!open) Py_RETURN_NONE;
  const auto release = [](PyObject* capsule) {
    VmapsPtr::adopt(static_cast<const RefCounted*>(PyCapsule_GetPointer(capsule, kLevels)));
  };
  return check(PyCapsule_New(const_cast<RefCounted*>(open.detach()), kLevels, release));
}

PyObject* levels(PyObject*, PyObject*) try {
  return wrap_levels(outermost_vmaps(SIZE_MAX));
} catch (...) {
  return set_python_error();
}

// Makes this thread run in these vmaps, or in so many of its outermost; those that it ran in.
PyObject* change_levels(PyObject*, PyObject* wanted) try {
  const PyPtr previous = PyPtr::steal(wrap_levels(outermost_vmaps(SIZE_MAX)));
  if (wanted == Py_None) {
    run_in_vmaps(nullptr);
  } else if (PyLong_Check(wanted)) {
    run_in_vmaps(outermost_vmaps(PyLong_AsSize_t(wanted)));
  } else {
    const void* vmaps = PyCapsule_GetPointer(wanted, kLevels);
    if (vmaps == nullptr) return nullptr;
    run_in_vmaps(VmapsPtr(static_cast<const RefCounted*>(vmaps)));
  }
  return Py_NewRef(previous.get());
} catch (...) {
  return set_python_error();
}

// level -> the `randomness` of that vmap.
PyObject* randomness_of(PyObject*, PyObject* level) try {
  const size_t at = PyLong_AsSize_t(level) - 1;
  OW_CHECK(at < batch_levels().size(), "vmap: there is no level ", at + 1);
  constexpr const char* kNames[] = {"error", "same", "different"};
  return PyUnicode_FromString(kNames[static_cast<size_t>(batch_levels()[at].randomness)]);
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
    {"_vmap_levels", levels, METH_NOARGS, nullptr},
    {"_vmap_change_levels", change_levels, METH_O, nullptr},
    {"_vmap_randomness", randomness_of, METH_O, nullptr},
    {"_batch", batch, METH_VARARGS, nullptr},
    {"_batch_value", value, METH_O, nullptr},
    {"_to_physical", physical, METH_VARARGS, nullptr},
    {"_from_physical", logical, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace opweave::python
