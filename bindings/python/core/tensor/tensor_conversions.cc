// to(), cpu(), float() and the like.
#include <array>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/functions/operators.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "bindings/python/core/tensor/to.h"

namespace opweave::python {
namespace {

bool changes(const Tensor& t, const Conversion& c) {
  if (c.copy || (c.dtype && *c.dtype != t.dtype())) return true;
  if (c.device && resolve_device(*c.device) != t.device()) return true;
  return c.memory_format && *c.memory_format != MemoryFormat::kPreserve &&
         !t.is_contiguous(*c.memory_format);
}

constexpr uint8_t kFormatFlags = kOptional | kNone | kKeyword;
constexpr Param kToOtherParams[] = {
    {"self", Kind::kTensor},
    {"other", Kind::kTensor},
    {"non_blocking", Kind::kBool, kOptional, 0, "False"},
    {"copy", Kind::kBool, kOptional, 0, "False"},
    {"memory_format", Kind::kMemoryFormat, kFormatFlags, 0, "None"},
};
constexpr Param kToDtypeParams[] = {
    {"self", Kind::kTensor},
    {"dtype", Kind::kDtype},
    {"non_blocking", Kind::kBool, kOptional, 0, "False"},
    {"copy", Kind::kBool, kOptional, 0, "False"},
    {"memory_format", Kind::kMemoryFormat, kFormatFlags, 0, "None"},
};
constexpr Param kToDeviceParams[] = {
    {"self", Kind::kTensor},
    {"device", Kind::kDevice, kOptional | kNone, 0, "None"},
    {"dtype", Kind::kDtype, kOptional | kNone, 0, "None"},
    {"non_blocking", Kind::kBool, kOptional, 0, "False"},
    {"copy", Kind::kBool, kOptional, 0, "False"},
    {"memory_format", Kind::kMemoryFormat, kFormatFlags, 0, "None"},
};
constexpr Overload kToOverloads[] = {{kToOtherParams}, {kToDtypeParams}, {kToDeviceParams}};
constexpr Function kToFunction{"to", kToOverloads};

// The object itself when nothing changed, whatever its class.
PyObject* wrap_converted(PyObject* self, const Conversion& c) {
  const Tensor& t = tensor_of(self);
  return changes(t, c) ? wrap(convert(t, c)) : Py_NewRef(self);
}

PyObject* to(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(kToFunction, self, args, nargs, kwnames);
  if (a.overload() == 2) {
    return wrap_converted(self, {a.dtype(2), a.device(1), a.boolean(3, false), a.boolean(4, false),
                                 a.memory_format(5)});
  }
  Conversion c{.non_blocking = a.boolean(2, false),
               .copy = a.boolean(3, false),
               .memory_format = a.memory_format(4)};
  if (a.overload() == 0) {
    c.dtype = a.tensor(1).dtype();
    c.device = a.tensor(1).device();
  } else {
    c.dtype = a.dtype(1);
  }
  return wrap_converted(self, c);
} catch (...) {
  return set_python_error(kToFunction.name);
}

constexpr Param kFormatParams[] = {
    {"self", Kind::kTensor},
    {"memory_format", Kind::kMemoryFormat, kOptional | kNone, 0, "None"},
};
constexpr Overload kFormatOverloads[] = {{kFormatParams}};

// float(), int(), …: to(dtype).
template <ScalarType kDtype>
PyObject* to_dtype_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) try {
  static constexpr Function function{"to", kFormatOverloads};
  const Arguments a(function, self, args, nargs, kwnames);
  return wrap_converted(self, {.dtype = kDtype, .memory_format = a.memory_format(1)});
} catch (...) {
  return set_python_error("to");
}

PyObject* cpu(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  static constexpr Function function{"cpu", kFormatOverloads};
  const Arguments a(function, self, args, nargs, kwnames);
  return wrap_converted(self, {.device = host_device(), .memory_format = a.memory_format(1)});
} catch (...) {
  return set_python_error("cpu");
}

constexpr Param kTypeParams[] = {
    {"self", Kind::kTensor},
    {"dtype", Kind::kObject, kOptional | kNone, 0, "None"},
    {"non_blocking", Kind::kBool, kOptional, 0, "False"},
};
constexpr Overload kTypeOverloads[] = {{kTypeParams}};
constexpr Function kTypeFunction{"type", kTypeOverloads};

// "FloatTensor"
std::string tensor_type_name(ScalarType dtype) { return str(scalar_type_name(dtype), "Tensor"); }

// The name of a type without its package, which may be PyTorch's.
std::string_view without_package(std::string_view name) {
  for (const std::string_view package : {"opweave.", "torch."}) {
    if (name.starts_with(package)) return name.substr(package.size());
  }
  return {};
}

// "cuda" of "cuda.FloatTensor"; the host of "FloatTensor". Nothing where there are no such devices.
std::optional<Device> device_of_type_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return host_device();
  try {
    return to_device(
        PyPtr::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(dot))).get());
  } catch (const std::exception&) {  // Python's among them, which are not restored
    return {};
  }
}

// What a class of tensors of one dtype and kind of device says, as opweave.FloatTensor is.
std::optional<Conversion> conversion_of_class(PyObject* object) {
  if (!PyType_Check(object)) return {};
  const PyPtr dtype = PyPtr::steal(PyObject_GetAttrString(object, "dtype"));
  const PyPtr device = PyPtr::steal(PyObject_GetAttrString(object, "device"));
  PyErr_Clear();
  if (!dtype || !device || !is_dtype_object(dtype.get())) return {};
  return Conversion{.dtype = to_dtype(dtype.get()), .device = to_device(device.get())};
}

Conversion conversion_of_type(PyObject* object) {
  if (is_dtype(object)) return {.dtype = to_dtype(object)};
  if (const auto conversion = conversion_of_class(object)) return *conversion;
  OW_CHECK_TYPE(PyUnicode_Check(object), "dtype must be a type, str, or dtype object, not ",
                type_name(object));
  const std::string_view full = to_string_view(object), name = without_package(full);
  const std::string_view last = name.substr(name.rfind('.') + 1);
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const ScalarType dtype = static_cast<ScalarType>(i);
    if (tensor_type_name(dtype) != last) continue;
    if (const auto device = device_of_type_name(name)) return {.dtype = dtype, .device = device};
  }
  OW_THROW(ErrorKind::kValue, "invalid type: '", full, "'");
}

// "torch.FloatTensor", "torch.cuda.FloatTensor"
std::string type_of(const Tensor& t) {
  const std::string place = is_host(t.device()) ? "" : str(device_type_name(t.device().type), ".");
  return str(printed_package(), ".", place, tensor_type_name(t.dtype()));
}

// type() tells the type by its old name; type(dtype) converts.
PyObject* type(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(kTypeFunction, self, args, nargs, kwnames);
  if (a.given(1)) return wrap_converted(self, conversion_of_type(a.object(1)));
  return PyUnicode_FromString(type_of(a.tensor(0)).c_str());
} catch (...) {
  return set_python_error(kTypeFunction.name);
}

constexpr const char* kDtypeDoc = "The tensor converted to this dtype.";

}  // namespace

Tensor convert(const Tensor& tensor, const Conversion& c) {
  if (!changes(tensor, c)) return tensor;
  if (tensor.numel() < kReleaseGilFrom) {
    return operators::to_copy(tensor, c.dtype, {}, c.device, {}, c.non_blocking, c.memory_format);
  }
  const ReleaseGil unlocked;
  return operators::to_copy(tensor, c.dtype, {}, c.device, {}, c.non_blocking, c.memory_format);
}

PyMethodDef tensor_conversion_methods[] = {
    entry<to>("to",
              "to($self, *args, **kwargs)\n--\n\nThe tensor in another dtype or on another device: "
              "to(dtype), to(device, dtype), to(other)."),
    entry<cpu>("cpu", "cpu($self, memory_format=None)\n--\n\nThe tensor in host memory."),
    entry<type>("type",
                "type($self, dtype=None, non_blocking=False)\n--\n\n"
                "The name of the type, or the tensor converted to a dtype."),
    {}};

PyMethodDef* tensor_dtype_methods() {
  static std::array<PyMethodDef, kNumScalarTypes + 1> methods{};  // the last one ends them
  auto next = methods.begin();
#define OW_DTYPE(id, ...)                                                                \
  if (!dtype_info(k##id).method.empty()) {                                               \
    *next++ = entry<to_dtype_method<k##id>>(dtype_info(k##id).method.data(), kDtypeDoc); \
  }
#include "dtypes/dtypes.def"
  return methods.data();
}

}  // namespace opweave::python
