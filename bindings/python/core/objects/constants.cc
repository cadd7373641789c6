// dtype, layout and memory_format: types whose few instances are made once, at import.
#include "bindings/python/core/objects/constants.h"

#include <array>
#include <string>
#include <utility>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/named_dtypes.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

constexpr int kNumFormats = 4;
std::array<PyObject*, kNumScalarTypes> dtypes{};
std::array<PyObject*, kNumLayouts> layouts{};
std::array<PyObject*, kNumFormats> formats{};

ScalarType dtype_of(PyObject* self) { return reinterpret_cast<DtypeObject*>(self)->dtype; }

std::string package_name = "opweave";

// "opweave.float32"
template <class Value>
PyObject* qualified(const Value& value) {
  return PyUnicode_FromString(str(package_name, ".", value).c_str());
}
PyObject* dtype_repr(PyObject* self) try { return qualified(dtype_of(self)); } catch (...) {
  return set_python_error();
}
PyObject* layout_repr(PyObject* self) { return qualified(to_layout(self)); }
PyObject* format_repr(PyObject* self) { return qualified(to_memory_format(self)); }

// Pickles by name: looked up in the package, so that identity survives.
template <class Value>
PyObject* reduce_name(const Value& value) {
  return PyUnicode_FromString(str(value).c_str());
}
PyObject* dtype_reduce(PyObject* self, PyObject*) try {
  return reduce_name(dtype_of(self));
} catch (...) {
  return set_python_error();
}
PyObject* layout_reduce(PyObject* self, PyObject*) try {
  return reduce_name(to_layout(self));
} catch (...) {
  return set_python_error();
}
PyObject* format_reduce(PyObject* self, PyObject*) try {
  return reduce_name(to_memory_format(self));
} catch (...) {
  return set_python_error();
}

PyObject* dtype_is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(is_floating(dtype_of(self)));
}
PyObject* dtype_is_complex(PyObject* self, void*) {
  return PyBool_FromLong(is_complex(dtype_of(self)));
}
PyObject* dtype_is_differentiable(PyObject* self, void*) {
  return PyBool_FromLong(is_differentiable(dtype_of(self)));
}
// What the layers in Python need to know of the dtype beside its other attributes.
PyObject* dtype_limits(PyObject* self, void*) try {
  const DtypeInfo& info = dtype_info(dtype_of(self));
  return Py_BuildValue("(iid)", info.fraction, info.exponent, info.largest);
} catch (...) {
  return set_python_error();
}
PyObject* dtype_safetensors(PyObject* self, void*) {
  const std::string_view name = dtype_info(dtype_of(self)).safetensors;
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* dtype_in_array_api(PyObject* self, void*) {
  return PyBool_FromLong(dtype_info(dtype_of(self)).array_api);
}
PyObject* dtype_method(PyObject* self, void*) {
  const std::string_view name = dtype_info(dtype_of(self)).method;
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* dtype_promotes(PyObject* self, void*) {
  return PyBool_FromLong(contains(dtypes::kCommon, dtype_of(self)));
}
PyObject* dtype_is_signed(PyObject* self, void*) {
  return PyBool_FromLong(is_signed(dtype_of(self)));
}
PyObject* dtype_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(element_size(dtype_of(self)));
}

PyObject* dtype_to_real(PyObject* self, PyObject*) { return wrap(part_dtype(dtype_of(self))); }
PyObject* dtype_to_complex(PyObject* self, PyObject*) try {
  const ScalarType dtype = dtype_of(self);
  const DtypeInfo& info = dtype_info(dtype);
  const ScalarType made = is_complex(dtype) ? dtype : complex_dtype(dtype);
  if (made != ScalarType::kUndefined) return wrap(made);
  PyObject* found = complex_of(info.name);
  OW_CHECK(found, "Unknown Complex ScalarType for ", info.id);
  return Py_NewRef(found);
} catch (...) {
  return set_python_error();
}

PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {"to_real", dtype_to_real, METH_NOARGS, nullptr},
                               {"to_complex", dtype_to_complex, METH_NOARGS, nullptr},
                               {}};
PyMethodDef layout_methods[] = {{"__reduce__", layout_reduce, METH_NOARGS, nullptr}, {}};
PyMethodDef format_methods[] = {{"__reduce__", format_reduce, METH_NOARGS, nullptr}, {}};
// Where pickle finds a constant by its name; without it, it would search every module.
PyObject* module_name(PyObject*, void*) { return PyUnicode_FromString("opweave"); }
PyGetSetDef constant_getset[] = {{"__module__", module_name, nullptr, nullptr, nullptr}, {}};
PyGetSetDef dtype_getset[] = {
    {"__module__", module_name, nullptr, nullptr, nullptr},
    {"is_floating_point", dtype_is_floating_point, nullptr, nullptr, nullptr},
    {"is_complex", dtype_is_complex, nullptr, nullptr, nullptr},
    {"is_signed", dtype_is_signed, nullptr, nullptr, nullptr},
    {"_is_differentiable", dtype_is_differentiable, nullptr, nullptr, nullptr},
    {"_limits", dtype_limits, nullptr, "Of floats: fraction bits, least exponent, largest.",
     nullptr},
    {"_safetensors", dtype_safetensors, nullptr, "Its name in a safetensors header.", nullptr},
    {"_in_array_api", dtype_in_array_api, nullptr, nullptr, nullptr},
    {"_method", dtype_method, nullptr, "Of tensors that converts to it; empty without one.",
     nullptr},
    {"_promotes", dtype_promotes, nullptr, "With every other such dtype.", nullptr},
    {"itemsize", dtype_itemsize, nullptr, "The size of an element in bytes.", nullptr},
    {}};

PyTypeObject constant_type(const char* name, size_t size, reprfunc repr, PyMethodDef* methods,
                           PyGetSetDef* getset = constant_getset) {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = name;
  type.tp_basicsize = static_cast<Py_ssize_t>(size);
  type.tp_repr = repr;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

void add(PyObject* module, const char* name, PyObject* object) {
  check(PyModule_AddObjectRef(module, name, object));
}

// `float32` and the others, and all of them as `_dtypes`: those that tensors have.
void add_dtypes(PyObject* module) {
  const PyPtr all = PyPtr::steal(check(PyTuple_New(kNumScalarTypes)));
  for (int i = 0; i < kNumScalarTypes; ++i) {
    auto* object = PyObject_New(DtypeObject, &dtype_type);
    check(reinterpret_cast<PyObject*>(object));
    object->dtype = static_cast<ScalarType>(i);
    dtypes[i] = reinterpret_cast<PyObject*>(object);
    add(module, std::string(kDtypes[i].name).c_str(), dtypes[i]);
    if (!kDtypes[i].alias.empty()) add(module, std::string(kDtypes[i].alias).c_str(), dtypes[i]);
    PyTuple_SET_ITEM(all.get(), i, Py_NewRef(dtypes[i]));
  }
  add(module, "_dtypes", all.get());
}

}  // namespace

const std::string& printed_package() { return package_name; }
void set_printed_package(std::string name) { package_name = std::move(name); }

PyTypeObject dtype_type =
    constant_type("opweave.dtype", sizeof(DtypeObject), dtype_repr, dtype_methods, dtype_getset);
PyTypeObject layout_type =
    constant_type("opweave.layout", sizeof(LayoutObject), layout_repr, layout_methods);
PyTypeObject memory_format_type =
    constant_type("opweave.memory_format", sizeof(MemoryFormatObject), format_repr, format_methods);

bool is_dtype(PyObject* o) {
  if (is_dtype_object(o) || o == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
      o == reinterpret_cast<PyObject*>(&PyLong_Type) ||
      o == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    return true;
  }
  refuse_named_dtype(o);
  return false;
}

ScalarType to_dtype(PyObject* o) {
  if (is_dtype_object(o)) return dtype_of(o);
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return kDouble;
  return o == reinterpret_cast<PyObject*>(&PyLong_Type) ? kLong : kBool;
}

bool is_layout(PyObject* o) {
  if (!Py_IS_TYPE(o, &layout_type)) return false;
  const LayoutInfo& info = layout_info(to_layout(o));
  OW_CHECK_NOT_IMPLEMENTED(
      info.dispatch == 0, package_name, ".", info.name,
      " is there to be named and compared with: Opweave has no tensors of this layout");
  return true;
}

PyObject* wrap(ScalarType dtype) { return Py_NewRef(dtypes.at(static_cast<size_t>(dtype))); }
PyObject* wrap(Layout layout) { return Py_NewRef(layouts.at(static_cast<size_t>(layout))); }
PyObject* wrap(MemoryFormat format) { return Py_NewRef(formats.at(static_cast<size_t>(format))); }

void add_constants(PyObject* module) {
  for (PyTypeObject* type : {&dtype_type, &layout_type, &memory_format_type, &device_type}) {
    check(PyType_Ready(type));
    check(PyModule_AddType(module, type));
  }
  add_dtypes(module);
  add_named_dtypes(module);
  for (int i = 0; i < kNumLayouts; ++i) {
    auto* object = PyObject_New(LayoutObject, &layout_type);
    object->layout = static_cast<Layout>(i);
    layouts[i] = check(reinterpret_cast<PyObject*>(object));
    add(module, str(object->layout).c_str(), layouts[i]);
  }
  for (int i = 0; i < kNumFormats; ++i) {
    auto* object = PyObject_New(MemoryFormatObject, &memory_format_type);
    object->format = static_cast<MemoryFormat>(i);
    formats[i] = check(reinterpret_cast<PyObject*>(object));
    add(module, str(object->format).c_str(), formats[i]);
  }
}

}  // namespace opweave::python
