// Python classes of types of objects that YAML declares: nothing but a value that operators take
// and return.
#pragma once

#include "bindings/python/core/objects/opaque.h"

namespace opweave::python {

// A class to be made.
struct ObjectClass {
  const char* name;
  const char* doc;
  PyTypeObject* (*make)(const char* name, const char* doc);
};
// Makes it an attribute of a module, whose name it bears: `counting.Counter`.
void add_object_class(PyObject* module, const ObjectClass& type);

// A class whose instances hold a value; only operators make them. `name` lives as long as the
// process.
PyTypeObject* make_value_class(const char* name, const char* doc);
PyObject* make_value_object(PyTypeObject* type, std::shared_ptr<const void> value);
std::shared_ptr<const void> value_of_object(PyObject* object);

namespace detail {

template <ObjectType T>
struct ValueClass {
  static inline PyTypeObject* type = nullptr;

  static bool is(PyObject* object) { return PyObject_TypeCheck(object, type) != 0; }
  static PyObject* wrap(const void* value) {
    return make_value_object(type, std::make_shared<const T>(*static_cast<const T*>(value)));
  }
};

}  // namespace detail

// The class of T, which boxed and typed calls know from now on.
template <ObjectType T>
PyTypeObject* make_object_class(const char* name, const char* doc) {
  using Class = detail::ValueClass<T>;
  Class::type = make_value_class(name, doc);
  register_opaque_type({.name = object_type_name<T>,
                        .python = name,
                        .is = &Class::is,
                        .wrap = &Class::wrap,
                        .unwrap = &value_of_object});
  return Class::type;
}

}  // namespace opweave::python
