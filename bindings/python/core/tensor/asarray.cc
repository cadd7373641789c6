// opweave.asarray: a tensor of anything, over its memory where that can be.
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/tensor/construct.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "bindings/python/core/tensor/to.h"
#include "runtime/autograd/api.h"

namespace opweave::python {
namespace {

constexpr Param kParams[] = {
    {"obj", Kind::kObject},
    {"dtype", Kind::kDtype, kOptional | kNone | kKeyword, 0, "None"},
    {"device", Kind::kDevice, kOptional | kNone | kKeyword | kChosenDevice, 0, "None"},
    {"copy", Kind::kBool, kOptional | kNone | kKeyword, 0, "None"},
    {"requires_grad", Kind::kBool, kOptional | kNone | kKeyword, 0, "None"},
};
constexpr Overload kOverloads[] = {{.params = kParams, .method = false}};
constexpr Function kFunction{"asarray", kOverloads};

struct Options {
  std::optional<ScalarType> dtype;
  std::optional<Device> device;
  std::optional<bool> copy, requires_grad;
};

bool has_dlpack(PyObject* object) { return PyObject_HasAttrString(object, "__dlpack__") != 0; }

// A tensor over the object's memory; undefined where it has none.
Tensor over_memory(PyObject* object, const Options& options) {
  if (is_tensor(object)) return tensor_of(object);
  if (is_storage(object)) return tensor_over(storage_of(object), options.dtype.value_or(kLong));
  if (is_numpy_array(object)) return tensor_from_array(object).value();
  if (is_numpy_scalar(object)) {
    OW_CHECK(options.copy.value_or(true),
             "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ");
    return cast_copy(tensor_from_array(object).value(), std::nullopt);
  }
  if (has_dlpack(object)) return from_dlpack(object);
  if (PyObject_CheckBuffer(object) != 0) return tensor_from_buffer(object, options.dtype);
  return {};
}

void check_alias(const Tensor& tensor, const Options& options) {
  OW_CHECK_VALUE(!options.device || resolve_device(*options.device) == tensor.device(),
                 "can't alias tensor from device '", to_string(tensor.device()), "' to '",
                 to_string(options.device.value_or(tensor.device())), "'.");
  OW_CHECK_VALUE(!options.dtype || *options.dtype == tensor.dtype(),
                 "can't alias tensor with dtype '", dtype_info(tensor.dtype()).id, "' into dtype '",
                 dtype_info(options.dtype.value_or(tensor.dtype())).id, "'.");
}

PyObject* with_gradient(Tensor tensor, std::optional<bool> requires_grad) {
  if (requires_grad && !*requires_grad && tensor.requires_grad()) tensor = detached(tensor);
  if (requires_grad.value_or(false) && !tensor.requires_grad()) set_requires_grad(tensor, true);
  return wrap(std::move(tensor));
}

PyObject* asarray(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(kFunction, self, args, nargs, kwnames);
  const Options options{a.dtype(1), a.device(2), a.optional_boolean(3), a.optional_boolean(4)};
  Tensor tensor = over_memory(a.object(0), options);
  if (tensor.defined()) {
    if (options.copy && !*options.copy) check_alias(tensor, options);
    return with_gradient(convert(tensor, {.dtype = options.dtype,
                                          .device = options.device,
                                          .copy = options.copy.value_or(false)}),
                         options.requires_grad);
  }
  OW_CHECK_VALUE(options.copy.value_or(true), "can't alias arbitrary sequence into a tensor.");
  tensor = convert(tensor_from_data(a.object(0), options.dtype), {.device = options.device});
  return wrap_created(std::move(tensor), options.requires_grad.value_or(false));
} catch (...) {
  return set_python_error(kFunction.name);
}

constexpr Param kBufferParams[] = {
    {"buffer", Kind::kObject},
    {"dtype", Kind::kDtype, kKeyword},
    {"count", Kind::kInt, kOptional | kKeyword, 0, "-1"},
    {"offset", Kind::kInt, kOptional | kKeyword, 0, "0"},
    {"requires_grad", Kind::kBool, kOptional | kKeyword, 0, "False"},
};
constexpr Overload kBufferOverloads[] = {{.params = kBufferParams, .method = false}};
constexpr Function kBufferFunction{"frombuffer", kBufferOverloads};

PyObject* frombuffer(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                     PyObject* kwnames) try {
  const Arguments a(kBufferFunction, self, args, nargs, kwnames);
  return wrap_created(
      tensor_from_buffer(a.object(0), a.dtype(1), a.integer(2, -1), a.integer(3, 0)),
      a.boolean(4, false));
} catch (...) {
  return set_python_error(kBufferFunction.name);
}

}  // namespace

PyMethodDef sharing_functions[] = {
    entry<asarray>("asarray",
                   "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None)\n--\n\n"
                   "A tensor of obj: a tensor, a NumPy array or scalar, an object with __dlpack__ "
                   "or Python's buffer protocol, over their memory; or numbers and nested "
                   "sequences of them.\n\n"
                   "copy: True copies in any case; False raises ValueError where a copy cannot be "
                   "avoided. requires_grad: None takes it from obj."),
    entry<frombuffer>(
        "frombuffer",
        "frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False)\n--\n\n"
        "A tensor (n) over the memory of an object with Python's buffer protocol, of count "
        "elements (all, if negative) from offset bytes on.\n\n"
        "The object cannot be resized as long as the tensor lives. ValueError: there is no "
        "buffer, it is empty, or it has not as many bytes."),
    {}};

}  // namespace opweave::python
