// Operator libraries outside Opweave: a Python extension module that registers its operators on
// import.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/python/core/functions/binding.h"
#include "runtime/core/threads/dispatch_key_set.h"

namespace opweave::python {

// Where the entry of an operator is: "mine::f.out", which Python calls "f", "my_ops/ops.yaml:7".
struct OperatorPlace {
  const char* name;
  const char* function;
  const char* place;
};

// The generated entry points of a library. Plain data in an order that stays: a newer core reads
// the fields that a library's version has.
struct OperatorLibrary {
  // Since 2 operators have the library's name in front of theirs.
  static constexpr uint32_t kVersion = 2;
  static constexpr uint32_t kLeastVersion = 2;  // that this core can import

  uint32_t version;
  const char* name;
  void (*register_operators)();
  void (*register_cpu_kernels)(DispatchKey key);
  void (*register_meta_kernels)(DispatchKey key);
  void (*register_bindings)(BindingSink& sink);
  const OperatorPlace* operators;
  size_t num_operators;
};

// Registers everything: functions appear in the `opweave` package and in the module that is
// returned, methods in opweave.Tensor; _library_names.py decides about names that others have, too.
// Null with a Python exception set, and nothing registered, when a name is taken or the library's
// version is another. A library of the same name that was imported before goes: a program may
// change one, build it again and go on.
PyObject* import_operator_library(const OperatorLibrary& library) noexcept;

// In words, the library that has an operator, and the line of its entry (_library_names.py): by its
// full name, or by that of a function.
std::string whose_operator(std::string_view name);

}  // namespace opweave::python
