// _C.TensorBase and its metaclass.
#include "bindings/python/core/tensor/tensor_type.h"

#include <map>
#include <string>
#include <string_view>

#include "bindings/python/core/autograd/autograd_references.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "bindings/python/core/overrides/overrides.h"

namespace opweave::python {
namespace {

// Every subclass of TensorBase gets tensor_dealloc, so that its objects can be lent, and so that
// is_tensor() is one comparison.
PyObject* meta_new(PyTypeObject* meta, PyObject* args, PyObject* kwargs) {
  PyObject* type = PyType_Type.tp_new(meta, args, kwargs);
  if (type == nullptr) return nullptr;
  reinterpret_cast<PyTypeObject*>(type)->tp_dealloc = tensor_dealloc;
  note_class(reinterpret_cast<PyTypeObject*>(type));
  return type;
}

// Classes may get their `__torch_function__` later.
int meta_setattr(PyObject* type, PyObject* name, PyObject* value) {
  if (PyType_Type.tp_setattro(type, name, value) < 0) return -1;
  if (PyUnicode_CompareWithASCIIString(name, "__torch_function__") == 0)
    note_class(reinterpret_cast<PyTypeObject*>(type));
  return 0;
}

PyTypeObject make_meta_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave._C._TensorMeta";
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_new = meta_new;
  type.tp_setattro = meta_setattr;
  return type;
}
PyTypeObject meta_type = make_meta_type();

Py_ssize_t tensor_length(PyObject* self) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]] {
    const PyPtr length = PyPtr::steal(ask_method("__len__", {self}));
    return PyNumber_AsSsize_t(length.get(), PyExc_OverflowError);
  }
  const Tensor& t = tensor_of(self);
  OW_CHECK_TYPE(t.dim() > 0, "len() of a 0-d tensor");
  return t.size(0);
} catch (...) {
  return set_python_error_int();
}

PyObject* tensor_iter(PyObject* self) try {
  OW_CHECK_TYPE(tensor_of(self).dim() > 0, "iteration over a 0-d tensor");
  static const FastFunction unbind = find_fast_method("unbind");
  OW_INTERNAL_ASSERT(unbind != nullptr, "there is no operator unbind");
  const PyPtr parts = PyPtr::steal(check(unbind(self, nullptr, 0, nullptr)));
  return PyObject_GetIter(parts.get());
} catch (...) {
  return set_python_error();
}

// As in PyTorch: the identity.
Py_hash_t tensor_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<intptr_t>(self));
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  const TensorObject* object = reinterpret_cast<TensorObject*>(self);
  Py_VISIT(object->dict);
  // What only this tensor holds belongs to the object as far as the collector is concerned.
  if (object->tensor.defined() && object->tensor.impl()->use_count() == 1) {
    return traverse_autograd(*object->tensor.impl(), visit, arg);
  }
  return 0;
}

PyMappingMethods mapping_methods = {tensor_length, tensor_getitem, tensor_setitem};

PyTypeObject make_tensor_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(&meta_type) 0};
  type.tp_name = "opweave._C.TensorBase";
  type.tp_basicsize = sizeof(TensorObject);
  type.tp_dealloc = tensor_dealloc;
  type.tp_as_number = &tensor_number_methods;
  type.tp_as_mapping = &mapping_methods;
  type.tp_hash = tensor_hash;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = tensor_traverse;
  type.tp_clear = tensor_clear;
  type.tp_richcompare = tensor_compare;
  type.tp_weaklistoffset = offsetof(TensorObject, weakrefs);
  type.tp_dictoffset = offsetof(TensorObject, dict);
  type.tp_iter = tensor_iter;
  type.tp_new = tensor_new;
  return type;
}

std::map<std::string, FastFunction, std::less<>>& fast_methods() {
  static auto* methods = new std::map<std::string, FastFunction, std::less<>>;
  return *methods;
}

PyPtr make_method(PyMethodDef* def) {
  if ((def->ml_flags & METH_STATIC) == 0) {
    return PyPtr::steal(check(PyDescr_NewMethod(&tensor_base_type, def)));
  }
  const PyPtr function = PyPtr::steal(check(PyCFunction_NewEx(def, nullptr, nullptr)));
  return PyPtr::steal(check(PyStaticMethod_New(function.get())));
}

void add_methods(PyMethodDef* defs) {
  for (PyMethodDef* def = defs; def->ml_name != nullptr; ++def) {
    const PyPtr method = make_method(def);
    check(PyDict_SetItemString(tensor_base_type.tp_dict, def->ml_name, method.get()));
    register_method_site(method.get(), def->ml_meth);
    if (def->ml_flags == (METH_FASTCALL | METH_KEYWORDS)) {
      fast_methods()[def->ml_name] =
          reinterpret_cast<FastFunction>(reinterpret_cast<void (*)()>(def->ml_meth));
    }
  }
}

void add_attributes(PyGetSetDef* defs) {
  for (PyGetSetDef* def = defs; def->name != nullptr; ++def) {
    const bool plain = std::string_view(def->name) == "__dict__";
    PyGetSetDef* shown = plain ? def : overridable_attribute(*def);
    const PyPtr attribute = PyPtr::steal(check(PyDescr_NewGetSet(&tensor_base_type, shown)));
    check(PyDict_SetItemString(tensor_base_type.tp_dict, def->name, attribute.get()));
    if (!plain) register_attribute(shown, attribute.get());
  }
}

// The module for functions of a schema's python_module: `_C` itself, or `_C._nn` and the like.
PyObject* submodule(PyObject* parent, std::string_view name) {
  if (name.empty()) return parent;
  const std::string attribute = str("_", name);
  if (PyObject_HasAttrString(parent, attribute.c_str()) == 0) {
    const std::string full_name = str("opweave._C.", attribute);
    PyObject* module = check(PyImport_AddModule(full_name.c_str()));
    check(PyModule_AddObjectRef(parent, attribute.c_str(), module));
  }
  const PyPtr module = PyPtr::steal(check(PyObject_GetAttrString(parent, attribute.c_str())));
  return module.get();  // the parent holds it
}

class Registrar final : public BindingSink {
 public:
  explicit Registrar(PyObject* module) : module_(module) {}
  void functions(const char* module, PyMethodDef* defs) override {
    add_functions(submodule(module_, module), defs, home_of(module));
  }
  void methods(PyMethodDef* defs) override { add_methods(defs); }
  void object(const ObjectClass& type) override { add_object_class(module_, type); }

 private:
  PyObject* module_;
};

}  // namespace

PyTypeObject tensor_base_type = make_tensor_type();

FastFunction find_fast_method(const char* name) {
  const auto it = fast_methods().find(std::string_view(name));
  return it == fast_methods().end() ? nullptr : it->second;
}

std::string home_of(std::string_view module) {
  if (module == "nn_functional") return "opweave.nn.functional";
  return module.empty() ? "opweave" : str("opweave._C._", module);
}

void add_functions(PyObject* module, PyMethodDef* defs, std::string_view home) {
  const PyPtr name = PyPtr::steal(
      check(PyUnicode_FromStringAndSize(home.data(), static_cast<Py_ssize_t>(home.size()))));
  for (PyMethodDef* def = defs; def->ml_name != nullptr; ++def) {
    PyObject* self = def->ml_flags == (METH_FASTCALL | METH_KEYWORDS) ? nullptr : module;
    const PyPtr function = PyPtr::steal(check(PyCFunction_NewEx(def, self, name.get())));
    check(PyModule_AddObjectRef(module, def->ml_name, function.get()));
    if (self == nullptr) register_function_site(function.get(), def->ml_meth);
  }
}

void add_tensor_type(PyObject* module) {
  meta_type.tp_base = &PyType_Type;
  check(PyType_Ready(&meta_type));
  check(PyType_Ready(&tensor_base_type));
  for (PyGetSetDef* defs : {tensor_attributes, tensor_autograd_attributes}) add_attributes(defs);
  Registrar registrar(module);
  generated::register_opweave_python_bindings(registrar);
  for (PyMethodDef* defs :
       {tensor_geometry_methods, tensor_value_methods, tensor_conversion_methods,
        tensor_dtype_methods(), tensor_autograd_methods, tensor_exchange_methods,
        tensor_memory_methods}) {
    add_methods(defs);
  }
  link_tensor_operators();
  PyType_Modified(&tensor_base_type);
  check(PyModule_AddType(module, &tensor_base_type));
  check(PyModule_AddObjectRef(module, "_TensorMeta", reinterpret_cast<PyObject*>(&meta_type)));
  install_pyobject_hooks();
}

}  // namespace opweave::python
