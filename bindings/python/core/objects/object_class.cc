// Instances of classes that hold a value.
#include "bindings/python/core/objects/object_class.h"

#include <new>
#include <string>

#include "bindings/python/core/objects/errors.h"
#include "runtime/core/base/str.h"

namespace opweave::python {
namespace {

struct ValueObject {
  PyObject_HEAD;
  std::shared_ptr<const void> value;
};

ValueObject* as_value(PyObject* object) { return reinterpret_cast<ValueObject*>(object); }

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  as_value(self)->value.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);  // instances own the class, which is made at run time
}

}  // namespace

void add_object_class(PyObject* module, const ObjectClass& type) {
  const char* module_name = PyModule_GetName(module);
  check(module_name == nullptr ? -1 : 0);
  const auto* name =
      new std::string(str(module_name, ".", type.name));  // which the class refers to
  PyTypeObject* made = type.make(name->c_str(), type.doc);
  check(PyModule_AddObjectRef(module, type.name, reinterpret_cast<PyObject*>(made)));
}

PyTypeObject* make_value_class(const char* name, const char* doc) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}, {Py_tp_doc, const_cast<char*>(doc)}, {}};
  PyType_Spec spec{name, sizeof(ValueObject), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return reinterpret_cast<PyTypeObject*>(check(PyType_FromSpec(&spec)));
}

PyObject* make_value_object(PyTypeObject* type, std::shared_ptr<const void> value) {
  PyObject* self = check(type->tp_alloc(type, 0));
  new (&as_value(self)->value) std::shared_ptr<const void>(std::move(value));
  return self;
}

std::shared_ptr<const void> value_of_object(PyObject* object) { return as_value(object)->value; }

}  // namespace opweave::python
