// What the generated binding shards include, and how they hand their functions over.
//
// A shard defines
//   void register_opweave_python_03(BindingSink& sink);
// which passes constant tables to the sink, and //generated:python defines
//   void register_opweave_python_bindings(BindingSink& sink);   // calls every shard
// which the extension calls once at import. Functions become attributes of the module they name;
// methods go to TensorBase, whose operators (`+`, `==`, …) find them there by name (see
// tensor_operators.cc).
#pragma once

#include "bindings/python/core/functions/overridable.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/object_class.h"

namespace opweave::python {

class BindingSink {
 public:
  virtual ~BindingSink() = default;
  // `module` is the schema's python_module, "" for opweave itself. The tables end with {} and live
  // as long as the process.
  virtual void functions(const char* module, PyMethodDef* defs) = 0;
  virtual void methods(PyMethodDef* defs) = 0;
  // A class of objects that schemas name: an attribute of the library's module.
  virtual void object(const ObjectClass& type) = 0;
};

// An entry of those tables. `doc` opens with the signature that inspect.signature() shows:
//   "add(input, other, *, alpha=1, out=None)\n--\n\nAdds …"       for functions
//   "add($self, other, *, alpha=1)\n--\n\nAdds …"                 for methods
// Modes and classes of arguments may take calls of it over.
template <FastFunction kFunction, Site kSite = Site::kOpweave>
PyMethodDef entry(const char* name, const char* doc) {
  const auto site = &overridable<kFunction, kSite>;
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(site)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}
// The same for METH_NOARGS or METH_O.
template <PyCFunction kMethod>
PyMethodDef entry(const char* name, int flags, const char* doc) {
  return {name, overridable_method<kMethod>, flags, doc};
}

}  // namespace opweave::python

namespace opweave::generated {
// Defined by //generated:python.
void register_opweave_python_bindings(python::BindingSink& sink);
}  // namespace opweave::generated
