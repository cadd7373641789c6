// Between C++ and Python errors: what every entry point from Python needs.
//
// An entry point is a function try block:
//   PyObject* add(...) try { ... } catch (...) { return set_python_error(); }
#pragma once

#include <Python.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/core/base/error.h"

namespace opweave::python {

// A Python exception on its way through C++ frames. It carries the exception object, because those
// frames may belong to another thread (a hook that the autograd engine called) or may drop it.
class PythonException : public std::exception {
 public:
  // Takes the exception out of the interpreter's error indicator, which must be set.
  PythonException();
  const char* what() const noexcept override;
  // Puts it back. The interpreter lock must be held, as for the constructor.
  void restore() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

[[noreturn]] void throw_python_exception();

// Asked for the classes of errors before their kind is: an extension has errors of its own. Null
// for what it does not know. Kept for as long as the process lives.
using ErrorClasses = PyObject* (*)(const Error& error);
void register_error_classes(ErrorClasses classes);

// Called in a catch block: sets the Python exception of the C++ exception in flight, by ErrorKind.
// Returns null, so that entry points can return it.
PyObject* set_python_error() noexcept;
// The same for what Python calls `callee`, an operator: errors about sizes and memory name it.
PyObject* set_python_error(std::string_view callee) noexcept;
// Both for entry points that return int.
inline int set_python_error_int(std::string_view callee = {}) noexcept {
  set_python_error(callee);
  return -1;
}

// Throws when a call of the C API has failed.
inline PyObject* check(PyObject* result) {
  if (result == nullptr) [[unlikely]]
    throw_python_exception();
  return result;
}
inline int check(int result) {
  if (result < 0) [[unlikely]]
    throw_python_exception();
  return result;
}

// opweave.OutOfMemoryError, made at import.
extern PyObject* out_of_memory_error;

}  // namespace opweave::python
