// The Python faces of construction and exchange: tensor(), as_tensor(), from_numpy(), numpy() …
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/tensor/construct.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "bindings/python/core/tensor/to.h"
#include "runtime/autograd/api.h"

namespace opweave::python {
namespace {

constexpr Param kTensorParams[] = {
    {"data", Kind::kObject},
    {"dtype", Kind::kDtype, kOptional | kNone | kKeyword, 0, "None"},
    {"device", Kind::kDevice, kOptional | kNone | kKeyword | kChosenDevice, 0, "None"},
    {"requires_grad", Kind::kBool, kOptional | kKeyword, 0, "False"},
    {"pin_memory", Kind::kBool, kOptional | kKeyword, 0, "False"},
};
constexpr Overload kTensorOverloads[] = {{.params = kTensorParams, .method = false}};
constexpr Function kTensorFunction{"tensor", kTensorOverloads};

void warn_copy() {
  check(PyErr_WarnEx(PyExc_UserWarning,
                     "To copy construct from a tensor, it is recommended to use "
                     "sourceTensor.detach().clone() or "
                     "sourceTensor.detach().clone().requires_grad_(True), rather than "
                     "opweave.tensor(sourceTensor).",
                     1));
}

PyObject* make_tensor_object(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* kwnames) try {
  const Arguments a(kTensorFunction, self, args, nargs, kwnames);
  PyObject* data = a.object(0);
  const std::optional<ScalarType> dtype = a.dtype(1);
  const std::optional<Device> device = a.device(2);
  if (is_tensor(data)) {
    warn_copy();
    // Without history of either direction: tangents would stay under no_grad.
    const Conversion conversion{.dtype = dtype, .device = device, .copy = true};
    return wrap_created(convert(detached(tensor_of(data)), conversion), a.boolean(3, false));
  }
  Tensor result = tensor_from_data(data, dtype);
  if (device && resolve_device(*device) != result.device())
    result = convert(result, {.device = device});
  return wrap_created(std::move(result), a.boolean(3, false));
} catch (...) {
  return set_python_error(kTensorFunction.name);
}

constexpr Param kAsTensorParams[] = {
    {"data", Kind::kObject},
    {"dtype", Kind::kDtype, kOptional | kNone, 0, "None"},
    {"device", Kind::kDevice, kOptional | kNone | kChosenDevice, 0, "None"},
};
constexpr Overload kAsTensorOverloads[] = {{.params = kAsTensorParams, .method = false}};
constexpr Function kAsTensorFunction{"as_tensor", kAsTensorOverloads};

PyObject* as_tensor(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* kwnames) try {
  const Arguments a(kAsTensorFunction, self, args, nargs, kwnames);
  PyObject* data = a.object(0);
  const Conversion conversion{.dtype = a.dtype(1), .device = a.device(2)};
  if (is_tensor(data)) return wrap(convert(tensor_of(data), conversion));
  if (is_numpy_array(data)) return wrap(convert(tensor_from_array(data).value(), conversion));
  return wrap(convert(tensor_from_data(data, conversion.dtype), conversion));
} catch (...) {
  return set_python_error(kAsTensorFunction.name);
}

PyObject* from_numpy(PyObject*, PyObject* array) try {
  OW_CHECK_TYPE(is_numpy_array(array), "expected np.ndarray (got ", type_name(array), ")");
  return wrap(tensor_from_array(array).value());
} catch (...) {
  return set_python_error("from_numpy");
}

PyObject* from_dlpack_object(PyObject*, PyObject* object) try {
  return wrap(from_dlpack(object));
} catch (...) {
  return set_python_error("from_dlpack");
}

constexpr Param kNumpyParams[] = {
    {"self", Kind::kTensor},
    {"force", Kind::kBool, kOptional | kKeyword, 0, "False"},
};
constexpr Overload kNumpyOverloads[] = {{kNumpyParams}};
constexpr Function kNumpyFunction{"numpy", kNumpyOverloads};

PyObject* numpy(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(kNumpyFunction, self, args, nargs, kwnames);
  return to_numpy(self, a.boolean(1, false));
} catch (...) {
  return set_python_error(kNumpyFunction.name);
}

// _to_dlpack(versioned, read_only, copied)
PyObject* dlpack_capsule(PyObject* self, PyObject* args) try {
  int versioned = 0, read_only = 0, copied = 0;
  if (PyArg_ParseTuple(args, "ppp:_to_dlpack", &versioned, &read_only, &copied) == 0)
    return nullptr;
  return to_dlpack(tensor_of(self), {versioned != 0, read_only != 0, copied != 0});
} catch (...) {
  return set_python_error("__dlpack__");
}

}  // namespace

PyMethodDef tensor_exchange_methods[] = {
    entry<numpy>(
        "numpy",
        "numpy($self, *, force=False)\n--\n\nA NumPy array that shares the tensor's memory."),
    {"_to_dlpack", dlpack_capsule, METH_VARARGS, nullptr},
    {}};

PyMethodDef construct_functions[] = {
    entry<make_tensor_object>(
        "tensor",
        "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)\n--\n\n"
        "A new tensor of a copy of data: numbers, nested sequences, arrays."),
    entry<as_tensor>("as_tensor",
                     "as_tensor(data, dtype=None, device=None)\n--\n\n"
                     "A tensor of data, which shares their memory and history where it can."),
    {"from_numpy", from_numpy, METH_O, "A tensor that shares the memory of a NumPy array."},
    {"_from_dlpack", from_dlpack_object, METH_O, nullptr},
    {}};

}  // namespace opweave::python
