// Libraries that speak the stable interface: from a file to their operators.
#include "bindings/python/core/libraries/stable_library.h"

#include <dlfcn.h>

#include "bindings/python/core/libraries/operator_library.h"
#include "bindings/python/core/libraries/shared_library.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/stable/library.h"

namespace opweave::python {
namespace {

[[noreturn]] void raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw_python_exception();
}

const stable::LoadedLibrary& loaded(const OwLibrary* table, const char* path) {
  try {
    return stable::load_library(table, path, &whose_operator);
  } catch (const Error& error) {
    raise(PyExc_ImportError, error.message());
  }
}

PyObject* wrapped(const stable::LoadedLibrary& library) {
  PyPtr operators =
      PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(library.operators.size()))));
  Py_ssize_t i = 0;
  for (const stable::LoadedOperator& op : library.operators) {
    PyObject* const item = check(
        Py_BuildValue("ssO", op.name.c_str(), op.place.c_str(), op.internal ? Py_True : Py_False));
    PyTuple_SET_ITEM(operators.get(), i++, item);
  }
  return check(Py_BuildValue("sO", library.name.c_str(), operators.get()));
}

}  // namespace

PyObject* load_stable_library(PyObject*, PyObject* path) noexcept try {
  const std::string file(to_string_view(path));
  void* const library = open_shared_library(file.c_str());
  void* const symbol = dlsym(library, OW_LIBRARY_SYMBOL);
  if (symbol == nullptr) Py_RETURN_NONE;
  const auto* table = reinterpret_cast<OwLibraryFunction>(symbol)();
  return wrapped(loaded(table, file.c_str()));
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python
