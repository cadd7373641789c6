// Operator libraries outside Opweave: a Python extension module that registers its operators on
// import.
#pragma once

#include "bindings/python/core/functions/binding.h"
#include "runtime/core/dispatch_key_set.h"

namespace opweave::python {

// The generated entry points of a library.
struct OperatorLibrary {
  const char* name;
  void (*register_operators)();
  void (*register_cpu_kernels)(DispatchKey key);
  void (*register_meta_kernels)(DispatchKey key);
  void (*register_bindings)(BindingSink& sink);
};

// Registers everything: functions appear in the `opweave` package and in the module that is
// returned, methods in opweave.Tensor. Null with a Python exception set when a name is taken.
PyObject* import_operator_library(const OperatorLibrary& library) noexcept;

}  // namespace opweave::python
