// The table of object types that Python knows.
#include "bindings/python/core/objects/opaque.h"

#include <vector>

#include "runtime/core/error.h"

namespace opweave::python {
namespace {

// Under the interpreter lock.
std::vector<OpaqueType>& types() {
  static auto* all = new std::vector<OpaqueType>;
  return *all;
}

const OpaqueType* find(std::string_view name) {
  for (const OpaqueType& type : types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace

void register_opaque_type(const OpaqueType& type) {
  if (find(type.name) == nullptr) types().push_back(type);
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
