// The table of object types that Python knows.
#include "bindings/python/core/objects/opaque.h"

#include <vector>

#include "runtime/core/base/error.h"

namespace opweave::python {
namespace {

// Under the interpreter lock.
std::vector<OpaqueType>& types() {
  static auto* all = new std::vector<OpaqueType>;
  return *all;
}

OpaqueType* find(std::string_view name) {
  for (OpaqueType& type : types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

bool is_none(PyObject* /*object*/) { return false; }

}  // namespace

void register_opaque_type(const OpaqueType& type) {
  OpaqueType* known = find(type.name);
  if (known == nullptr) types().push_back(type);
  if (known == nullptr || type.is == &is_none) return;
  // A library that was built again makes its class again.
  if (known->is == &is_none || known->python == type.python) *known = type;
}

void expect_opaque_type(const char* name, const char* python) {
  register_opaque_type({.name = name,
                        .python = python,
                        .is = &is_none,
                        .wrap = [](const void*) -> PyObject* {
                          OW_THROW(ErrorKind::kRuntime, "its Python class was not imported");
                        },
                        .unwrap = nullptr});
}

const OpaqueType& opaque_type(std::string_view name) {
  const OpaqueType* type = find(name);
  OW_CHECK(type != nullptr, "no Python type stands for the schema type '", name, "'");
  return *type;
}

const OpaqueType* opaque_type_of(PyObject* object) {
  for (const OpaqueType& type : types()) {
    if (type.is(object)) return &type;
  }
  return nullptr;
}

}  // namespace opweave::python
