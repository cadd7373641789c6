// Attributes of tensors whose reads and writes are asked for: `Tensor.shape.__get__`.
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/overrides/overrides.h"

namespace opweave::python {
namespace {

struct Attribute {
  PyGetSetDef original;
  PyGetSetDef shown;
  PyObject* descriptor = nullptr;
};

PyPtr ask_descriptor(const Attribute& a, const char* what, PyObject* self, PyObject* value) {
  Overloaded overloaded;
  if (override_state().asked == Asked::kAll) overloaded.add(self);
  const PyPtr function = PyPtr::steal(check(PyObject_GetAttrString(a.descriptor, what)));
  const PyPtr args =
      PyPtr::steal(check(value != nullptr ? PyTuple_Pack(2, self, value) : PyTuple_Pack(1, self)));
  return PyPtr::steal(ask(function.get(), overloaded, args.get(), nullptr));
}

PyObject* read(PyObject* self, void* closure) try {
  const auto& a = *static_cast<const Attribute*>(closure);
  if (override_count > 0 && a.descriptor != nullptr && is_overridden(self)) [[unlikely]]
    return ask_descriptor(a, "__get__", self, nullptr).release();
  return a.original.get(self, a.original.closure);
} catch (...) {
  return set_python_error();
}

int write(PyObject* self, PyObject* value, void* closure) try {
  const auto& a = *static_cast<const Attribute*>(closure);
  if (override_count > 0 && a.descriptor != nullptr && is_overridden(self)) [[unlikely]] {
    ask_descriptor(a, value != nullptr ? "__set__" : "__delete__", self, value);
    return 0;
  }
  return a.original.set(self, value, a.original.closure);
} catch (...) {
  return set_python_error_int();
}

}  // namespace

PyGetSetDef* overridable_attribute(const PyGetSetDef& def) {
  auto* a = new Attribute{def, def};
  if (def.get != nullptr) a->shown.get = read;
  if (def.set != nullptr) a->shown.set = write;
  a->shown.closure = a;
  return &a->shown;
}

void register_attribute(PyGetSetDef* def, PyObject* descriptor) {
  static_cast<Attribute*>(def->closure)->descriptor = Py_NewRef(descriptor);
}

}  // namespace opweave::python
