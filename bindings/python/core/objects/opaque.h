// Between Python objects and values of the object types that schemas name
// (runtime/dispatch/object.h): one registration for each.
#pragma once

#include <Python.h>

#include <memory>
#include <string_view>

#include "runtime/dispatch/object.h"

namespace opweave::python {

struct OpaqueType {
  std::string_view name;    // in schemas
  std::string_view python;  // in messages: "opweave.Generator"
  bool (*is)(PyObject* object);
  PyObject* (*wrap)(const void* value);
  std::shared_ptr<const void> (*unwrap)(PyObject* object);
};

// Keeps it. The first registration of a name counts.
void register_opaque_type(const OpaqueType& type);
// Knows the name of a type whose class an extension registers later; until then no object is one.
// Both names live as long as the process.
void expect_opaque_type(const char* name, const char* python);
// RuntimeError if Python knows nothing of the type.
const OpaqueType& opaque_type(std::string_view name);
// That of a Python object; null if it is none.
const OpaqueType* opaque_type_of(PyObject* object);

template <ObjectType T>
T unwrap_opaque(PyObject* object) {
  const auto value = opaque_type(object_type_name<T>).unwrap(object);
  return *static_cast<const T*>(value.get());
}

}  // namespace opweave::python
