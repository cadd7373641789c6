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

// A class of tensors of one dtype (opweave.FloatTensor) says which.
std::optional<ScalarType> dtype_of_class(PyObject* object) {
  if (!PyType_Check(object)) return {};
  const PyPtr dtype = PyPtr::steal(PyObject_GetAttrString(object, "dtype"));
  if (!dtype) PyErr_Clear();
  return dtype && is_dtype_object(dtype.get()) ? std::optional(to_dtype(dtype.get()))
                                               : std::nullopt;
}

ScalarType dtype_of_type_name(PyObject* object) {
  if (is_dtype(object)) return to_dtype(object);
  if (const auto dtype = dtype_of_class(object)) return *dtype;
  OW_CHECK_TYPE(PyUnicode_Check(object), "dtype must be a type, str, or dtype object, not ",
                type_name(object));
  const std::string_view name = to_string_view(object);
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (tensor_type_name(static_cast<ScalarType>(i)) == without_package(name))
      return static_cast<ScalarType>(i);
  }
  OW_THROW(ErrorKind::kValue, "invalid type: '", name, "'");
}

// type() tells the type by its old name; type(dtype) converts.
PyObject* type(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(kTypeFunction, self, args, nargs, kwnames);
  if (a.given(1)) return wrap_converted(self, {.dtype = dtype_of_type_name(a.object(1))});
  return PyUnicode_FromString(
      str(printed_package(), ".", tensor_type_name(a.tensor(0).dtype())).c_str());
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
