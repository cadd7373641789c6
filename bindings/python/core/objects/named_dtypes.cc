// A subclass of dtype, so that `isinstance(torch.complex64, torch.dtype)` holds, while nothing
// takes one for the dtype of a tensor: is_dtype_object() asks for the class itself.
#include "bindings/python/core/objects/named_dtypes.h"

#include <array>
#include <string>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

enum class Category { floating, complex, integer, quantized, bits };

struct NamedDtype {
  std::string_view id, name, alias;
  int bytes;
  Category category;
  int sign;
  std::string_view real;
};

constexpr NamedDtype kNamed[] = {
#define OW_NAMED_DTYPE(id, name, alias, bytes, category, sign, real) \
  {#id, #name, alias, bytes, Category::category, sign, real},
#include "dtypes/named.def"
};
std::array<PyObject*, std::size(kNamed)> objects{};

struct NamedDtypeObject {
  DtypeObject base;  // its dtype is never read
  const NamedDtype* facts;
};

const NamedDtype& facts_of(PyObject* self) {
  return *reinterpret_cast<NamedDtypeObject*>(self)->facts;
}

// A name as Python text.
PyObject* text(std::string_view value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

PyObject* named_repr(PyObject* self) try {
  return text(str(printed_package(), ".", facts_of(self).name));
} catch (...) {
  return set_python_error();
}
PyObject* reduce(PyObject* self, PyObject*) { return text(facts_of(self).name); }

PyObject* is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(facts_of(self).category == Category::floating);
}
PyObject* is_complex(PyObject* self, void*) {
  return PyBool_FromLong(facts_of(self).category == Category::complex);
}
PyObject* itemsize(PyObject* self, void*) { return PyLong_FromLong(facts_of(self).bytes); }
PyObject* no(PyObject*, void*) { Py_RETURN_FALSE; }

PyObject* is_signed(PyObject* self, void*) try {
  const NamedDtype& facts = facts_of(self);
  OW_CHECK(facts.sign >= 0, "is_signed: not defined for ", printed_package(), ".", facts.name);
  return PyBool_FromLong(facts.sign);
} catch (...) {
  return set_python_error();
}

PyObject* refused(PyObject* self, void*) try {
  refuse_named_dtype(self);
  return nullptr;
} catch (...) {
  return set_python_error();
}

PyObject* to_real(PyObject* self, PyObject*) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (kDtypes[i].name == facts_of(self).real) return wrap(static_cast<ScalarType>(i));
  }
  return Py_NewRef(self);
}

PyObject* to_complex(PyObject* self, PyObject*) try {
  const NamedDtype& facts = facts_of(self);
  OW_CHECK(facts.category == Category::complex, "Unknown Complex ScalarType for ", facts.id);
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {"to_real", to_real, METH_NOARGS, nullptr},
                         {"to_complex", to_complex, METH_NOARGS, nullptr},
                         {}};
// All that dtype has, since what it would read is not there.
PyGetSetDef getset[] = {{"is_floating_point", is_floating_point, nullptr, nullptr, nullptr},
                        {"is_complex", is_complex, nullptr, nullptr, nullptr},
                        {"is_signed", is_signed, nullptr, nullptr, nullptr},
                        {"itemsize", itemsize, nullptr, nullptr, nullptr},
                        {"_is_differentiable", no, nullptr, nullptr, nullptr},
                        {"_in_array_api", no, nullptr, nullptr, nullptr},
                        {"_promotes", no, nullptr, nullptr, nullptr},
                        {"_method", refused, nullptr, nullptr, nullptr},
                        {"_limits", refused, nullptr, nullptr, nullptr},
                        {"_safetensors", refused, nullptr, nullptr, nullptr},
                        {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.dtype";
  type.tp_basicsize = sizeof(NamedDtypeObject);
  type.tp_base = &dtype_type;
  type.tp_repr = named_repr;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}
PyTypeObject named_dtype_type = make_type();

}  // namespace

void refuse_named_dtype(PyObject* object) {
  OW_CHECK_NOT_IMPLEMENTED(!Py_IS_TYPE(object, &named_dtype_type), printed_package(), ".",
                           facts_of(object).name,
                           " is there to be named and compared with: Opweave has no tensors of it");
}

PyObject* complex_of(std::string_view real) {
  for (size_t i = 0; i < std::size(kNamed); ++i) {
    if (!real.empty() && kNamed[i].real == real) return objects[i];
  }
  return nullptr;
}

void add_named_dtypes(PyObject* module) {
  check(PyType_Ready(&named_dtype_type));
  for (size_t i = 0; i < std::size(kNamed); ++i) {
    auto* object = PyObject_New(NamedDtypeObject, &named_dtype_type);
    objects[i] = check(reinterpret_cast<PyObject*>(object));
    object->facts = &kNamed[i];
    for (const std::string_view name : {kNamed[i].name, kNamed[i].alias}) {
      if (name.empty()) continue;
      check(PyModule_AddObjectRef(module, std::string(name).c_str(), objects[i]));
    }
  }
}

}  // namespace opweave::python
